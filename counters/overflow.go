package counters

// overflow is an event whose overflows are handled.
type overflow struct {
	event string
	kind  State // Overflowing or Profiling
}

func (s *EventSet) startOverflows() error { return nil }
func (s *EventSet) stopOverflows() error  { return nil }
