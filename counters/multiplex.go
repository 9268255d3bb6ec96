package counters

// estimate scales what was counted of an event to all the time since the last zero.
func (p *part) estimate(k int) int64 {
	raw := difference(p.now[k], p.first[k], 0)
	enabled, ran := p.enabled[k]-p.enabledFirst[k], p.running[k]-p.ranFirst[k]
	switch {
	case ran == 0 || ran >= enabled:
		return int64(raw)
	}
	return int64(float64(raw) * float64(enabled) / float64(ran))
}

func (s *EventSet) starved() error { return nil }
