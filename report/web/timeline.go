package web

import (
	"strconv"
	"strings"

	"tracerec/report"
)

// The answer to "timeline". Times are ns since the start of the experiment.
type (
	timeline struct {
		Begin     int64    `json:"begin"`
		End       int64    `json:"end"`
		Rows      []row    `json:"rows"`
		Names     []string `json:"names"`
		Waits     []wait   `json:"waits"`
		Arrows    []arrow  `json:"arrows"`
		Truncated string   `json:"truncated"`         // what is not shown, "" if everything is
		Sampled   bool     `json:"sampled,omitempty"` // spans are stretches that show one moment of them
	}
	row struct {
		Resource int        `json:"resource"`
		Spans    [][6]int64 `json:"spans"`           // begin, end, depth, name, kind, number of stays merged or 0
		Ended    int64      `json:"ended,omitempty"` // when it ended, if before the end of the window
	}
	wait struct {
		Resource int    `json:"resource"`
		Begin    int64  `json:"begin"`
		End      int64  `json:"end"`
		Metric   string `json:"metric"`
		Waited   int64  `json:"waited"` // what of it counts as the wait state
	}
	arrow struct {
		From     int    `json:"from"`
		FromTime int64  `json:"fromTime"`
		To       int    `json:"to"`
		ToTime   int64  `json:"toTime"`
		Kind     string `json:"kind"` // the metric of a wait, or what was done: "create", "send", "unlock" …
	}
)

// Limits of a timeline.
const (
	mostRows   = 256
	mostPixels = 8192
)

// timeline answers with what some locations did between two times. Without a trace that is what is known of the worst instances.
func (a *api) timeline(q *question) (any, error) {
	begin, end := q.time("begin"), q.time("end")
	width := 0
	if q.has("width") {
		width = q.index("width", mostPixels)
	}
	resources := q.resources("locations")
	if err := q.only("begin", "end", "locations", "width"); err != nil {
		return nil, err
	}
	if begin >= end {
		return nil, badRequest("the window ends before it begins")
	}
	out := &timeline{Begin: begin, End: end, Rows: []row{}, Names: []string{}, Waits: []wait{}, Arrows: []arrow{}}
	if err := a.window(out, resources, width); err != nil {
		return nil, err
	}
	a.waits(out, resources)
	return out, nil
}

// resources reads a parameter that is a list of parts of the system.
func (q *question) resources(key string) (list []int) {
	for _, text := range strings.Split(q.values.Get(key), ",") {
		i, err := strconv.Atoi(text)
		if err != nil || i < 0 || i >= len(q.api.model.Resources) {
			q.fail("%s is not a list of numbers of parts of the system", key)
			return nil
		}
		list = append(list, i)
	}
	if len(list) > mostRows {
		q.fail("%s has more than %d elements", key, mostRows)
	}
	return list
}

// window adds what the trace knows.
func (a *api) window(out *timeline, resources []int, width int) error {
	if a.Timeline == nil {
		for _, r := range resources {
			out.Rows = append(out.Rows, row{Resource: r, Spans: [][6]int64{}})
		}
		out.Truncated = a.untraced()
		return nil
	}
	q := report.WindowRequest{Begin: out.Begin, End: out.End, Width: width}
	for _, i := range resources {
		l := a.model.Resources[i].Location
		if l == nil || l.ID >= len(a.Experiment.Locations) {
			return badRequest("%s is not a goroutine", a.model.Resources[i].Name)
		}
		q.Locations = append(q.Locations, uint32(l.ID))
	}
	w, err := a.Timeline.Window(q)
	if err != nil {
		return err
	}
	out.Truncated, out.Sampled = w.Truncated, w.Sampled
	out.Names = append(out.Names, w.Names...)
	for _, r := range w.Rows {
		x := row{a.places.location(int(r.Location)), make([][6]int64, len(r.Spans)), r.Ended}
		for i, s := range r.Spans {
			x.Spans[i] = [6]int64{s.Begin, s.End, int64(s.Depth), int64(s.Name), int64(s.Kind), int64(s.Merged)}
		}
		out.Rows = append(out.Rows, x)
	}
	for _, x := range w.Arrows {
		out.Arrows = append(out.Arrows, arrow{a.places.location(int(x.From)), x.FromTime, a.places.location(int(x.To)), x.ToTime, x.Kind})
	}
	return nil
}

// untraced says why there is no trace.
func (a *api) untraced() string {
	const known = "there is no trace; only the longest waits are known"
	if a.Experiment == nil || a.Experiment.Origin.Trace == "" {
		return known
	}
	return known + ": expert view --trace DIRECTORY shows all, where the report says that its trace was " + a.Experiment.Origin.Trace
}

// waits adds the instances of wait states that are known one by one, with arrows from those who ended them.
func (a *api) waits(out *timeline, resources []int) {
	type end struct {
		of   int
		time int64
	}
	by := map[end]int{} // arrow from who ended the wait, where the trace says it
	for i, x := range out.Arrows {
		if x.Kind != "create" {
			by[end{x.To, x.FromTime}] = i
		}
	}
	shown := map[int]bool{}
	for _, r := range resources {
		shown[r] = true
	}
	ended := map[int]int64{}
	for _, r := range out.Rows {
		ended[r.Resource] = r.Ended
	}
	for _, m := range a.model.Metrics {
		s := a.statsOf(m.Name)
		if s == nil {
			continue
		}
		ns := 1.0
		if s.Unit == "s" {
			ns = 1e9
		}
		for _, i := range s.Instances {
			begin, last := int64(i.Begin*ns), int64(i.End*ns)
			if !shown[i.Location] || last < out.Begin || begin > out.End {
				continue
			}
			out.Waits = append(out.Waits, wait{i.Location, begin, last, m.Name, min(int64(i.Duration*ns), last-begin)})
			if x, told := by[end{i.Location, last}]; told {
				if out.Arrows[x].From == i.Causer { // else it was waited for most of the time, but another one ended the wait
					out.Arrows[x].Kind = m.Name
				}
				continue
			}
			if t := ended[i.Causer]; i.Causer >= 0 && last <= out.End && (t == 0 || t >= last) { // else it was gone
				out.Arrows = append(out.Arrows, arrow{i.Causer, last, i.Location, last, m.Name})
			}
		}
	}
}
