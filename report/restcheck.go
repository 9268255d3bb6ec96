package report

import "fmt"

// The checks of what the member expert.json says: every number must lead somewhere.

func (d *restDecoder) path(p uint32) error {
	if int64(p) >= int64(d.b.paths) {
		return fmt.Errorf("call path %d of %d", p, d.b.paths)
	}
	return nil
}

// maybePath allows −1.
func (d *restDecoder) maybePath(p int32) error {
	if p < -1 || int64(p) >= int64(d.b.paths) {
		return fmt.Errorf("call path %d of %d", p, d.b.paths)
	}
	return nil
}

func (d *restDecoder) location(l uint32) error {
	if int64(l) >= int64(d.b.locations) {
		return fmt.Errorf("location %d of %d", l, d.b.locations)
	}
	return nil
}

// maybeLocation allows −1.
func (d *restDecoder) maybeLocation(l int32) error {
	if l < -1 || int64(l) >= int64(d.b.locations) {
		return fmt.Errorf("location %d of %d", l, d.b.locations)
	}
	return nil
}

// maybeGroup allows −1.
func (d *restDecoder) maybeGroup(g int32) error {
	if g < -1 || int64(g) >= int64(d.b.groups) {
		return fmt.Errorf("group %d of %d", g, d.b.groups)
	}
	return nil
}

func (d *restDecoder) places(list []uint32) error {
	for _, l := range list {
		if err := d.location(l); err != nil {
			return err
		}
	}
	return nil
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *restDecoder) group(g *Group) error { return d.maybePath(g.Creator) }

func (d *restDecoder) starts(list []Start) error {
	for _, s := range list {
		if err := d.maybePath(s.Path()); err != nil {
			return err
		}
	}
	return nil
}

func (d *restDecoder) stats(s *Stats) error {
	for i := range s.Worst {
		w := &s.Worst[i]
		if w.Waited == 0 {
			w.Waited = w.End - w.Begin // reports of earlier versions do not say
		}
		if err := first(d.path(w.Path), d.location(w.Location), d.maybeLocation(w.Causer), d.maybePath(w.CauserPath)); err != nil {
			return err
		}
	}
	return nil
}

func (d *restDecoder) finding(f *Finding) error {
	if err := d.line(&f.Line); err != nil {
		return err
	}
	for i := range f.Lines {
		if err := d.line(&f.Lines[i]); err != nil {
			return err
		}
	}
	for i := range f.Counted {
		if err := d.count(&f.Counted[i]); err != nil {
			return err
		}
	}
	for _, t := range f.Meanwhile {
		if err := d.path(t.Path); err != nil {
			return err
		}
	}
	for _, o := range f.Onward {
		if err := first(d.path(o.Path), d.maybeGroup(o.Group)); err != nil {
			return err
		}
		if o.Group < 0 {
			return fmt.Errorf("group %d of %d", o.Group, d.b.groups)
		}
	}
	return nil
}

func (d *restDecoder) operation(o *OperationSplit) error {
	if o.Group < 0 {
		return fmt.Errorf("group %d of %d", o.Group, d.b.groups)
	}
	return first(d.path(o.Path), d.maybeGroup(o.Group))
}

func (d *restDecoder) count(c *Count) error {
	if c.Metric < 0 || c.Metric >= d.r.Metrics {
		return fmt.Errorf("metric %d of %d", c.Metric, d.r.Metrics)
	}
	if c.AtLeast < 0 || c.AtMost != nil && *c.AtMost < c.AtLeast {
		return fmt.Errorf("metric %d counted less than nothing", c.Metric)
	}
	return nil
}

func (d *restDecoder) line(f *Line) error {
	if f.Metric < 0 || f.Metric >= d.r.Metrics {
		return fmt.Errorf("metric %d of %d", f.Metric, d.r.Metrics)
	}
	if f.Group < 0 {
		return fmt.Errorf("group %d of %d", f.Group, d.b.groups)
	}
	if err := first(d.path(f.Path), d.maybeGroup(f.Group), d.places(f.Locations)); err != nil {
		return err
	}
	for i := range f.Causers {
		c := &f.Causers[i]
		if err := first(d.maybeGroup(c.Group), d.maybePath(c.Path), d.places(c.Locations)); err != nil {
			return err
		}
		if c.Mattering < 0 || c.Mattering > len(c.Locations) {
			return fmt.Errorf("location %d of %d", c.Mattering, len(c.Locations))
		}
	}
	return nil
}

func (d *restDecoder) neverEnded(n *NeverEnded) error {
	return first(d.path(n.Path), d.location(n.Location), d.maybeLocation(n.Holder), d.maybePath(n.HolderPath))
}

func (d *restDecoder) requests(r *Requests) error {
	for i := range r.Parts {
		if err := d.part(&r.Parts[i]); err != nil {
			return err
		}
	}
	for i := range r.Slow {
		if err := d.part(&r.Slow[i].LatencyPart); err != nil {
			return err
		}
	}
	if r.Count < 0 || r.Cut < 0 || r.Unnamed < 0 || r.Unnamed > r.Count {
		return fmt.Errorf("%d requests, of which %d have no name", r.Count, r.Unnamed)
	}
	for _, ns := range []int64{r.P50Low, r.P50High, r.P95Low, r.P95High, r.P99Low, r.P99High, r.P50, r.P95 - r.P50, r.P99 - r.P95, r.Max - r.P99, r.Mean} {
		if ns < 0 {
			return fmt.Errorf("latencies of requests that cannot be: %d to %d ns", r.P50, r.Max)
		}
	}
	return nil
}

func (d *restDecoder) part(p *LatencyPart) error {
	steps := append([]Step{p.Step}, p.Via...)
	if p.Causer != nil {
		steps = append(steps, *p.Causer)
	}
	if p.Mean < 0 {
		return fmt.Errorf("%d ns of a latency", p.Mean)
	}
	for _, s := range steps {
		if s.Own < 0 || s.Own > len(s.CallPath) {
			return fmt.Errorf("%d of a call path of %d", s.Own, len(s.CallPath))
		}
	}
	return nil
}

func (d *restDecoder) ratio(r *Ratio) error {
	for _, o := range r.Operands {
		if o.Metric < 0 || o.Metric >= d.r.Metrics {
			return fmt.Errorf("metric %d of %d", o.Metric, d.r.Metrics)
		}
	}
	return nil
}

func (d *restDecoder) property(p *PropertyFinding) error { return d.path(p.Path) }
