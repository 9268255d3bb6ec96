package timeline

// Limit makes a reader read no more events for a window.
func (r *Reader) Limit(events int) { r.limit = events }
