package requests

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"tracerec/report"
)

// Selection says which requests are looked at. The zero value is all.
type Selection struct {
	Window    Window // those that begin in it
	Goroutine uint64 // those that it serves; 0 all
	Request   string // one of them: NAME, NAME:slowest or NAME:NUMBER, in the order in which they begin, from 1; NAME: may be left out; "" all
}

// Window is a time from the start of the recording, ns. The zero value is all of it.
type Window struct{ From, To int64 }

// String writes a window as Set reads it.
func (w *Window) String() string {
	if *w == (Window{}) {
		return ""
	}
	return time.Duration(w.From).String() + ":" + time.Duration(w.To).String()
}

// End returns the end of a window; the zero value has none.
func (w *Window) End() int64 {
	if *w == (Window{}) {
		return math.MaxInt64
	}
	return w.To
}

// Type says what a window is, in the description of a flag.
func (*Window) Type() string { return "FROM:TO" }

// Set reads a window: two durations, either of which may be missing.
func (w *Window) Set(text string) error {
	left, right, _ := strings.Cut(text, ":")
	from, err := time.ParseDuration(cmp.Or(left, "0s"))
	to, failed := time.Duration(math.MaxInt64), error(nil)
	if right != "" || left == text {
		to, failed = time.ParseDuration(right)
	}
	if err != nil || failed != nil || from < 0 || to <= from {
		return errors.New("not two times after the start, like 2s:3s, of which one may be missing")
	}
	*w = Window{int64(from), int64(to)}
	return nil
}

// choose returns the requests that are selected, and whether it is one alone.
func (r *reader) choose(all []request, s Selection) (list []request, one bool, err error) {
	if s == (Selection{}) {
		return all, false, nil
	}
	for _, q := range all {
		at := q.begin - r.begin
		if (s.Window == (Window{}) || q.begin != unknown && at >= s.Window.From && at < s.Window.To) && (s.Goroutine == 0 || r.defs.Locations[q.loc].GoID == s.Goroutine) {
			list = append(list, q)
		}
	}
	if len(list) == 0 && len(all) > 0 {
		return nil, false, errors.New("no requests in what was selected")
	}
	if s.Request == "" {
		return list, false, nil
	}
	name, which := "", s.Request
	number, err := strconv.Atoi(which)
	if err != nil && which != "slowest" {
		at := strings.LastIndexByte(which, ':')
		name, which = which[:max(at, 0)], which[at+1:]
		if number, err = strconv.Atoi(which); at < 0 || err != nil && which != "slowest" {
			name, which = s.Request, "slowest"
		}
	}
	list = slices.DeleteFunc(list, func(q request) bool {
		c := r.labelOf(&q).class()
		return q.cut || name == "" && report.Apart(c.kind) || name != "" && c.name != name
	})
	if which == "slowest" && len(list) > 0 {
		return []request{slices.MaxFunc(list, func(a, b request) int { return cmp.Compare(a.end-a.begin, b.end-b.begin) })}, true, nil
	}
	slices.SortStableFunc(list, func(a, b request) int { return cmp.Compare(a.begin, b.begin) })
	if len(list) == 0 {
		return nil, false, fmt.Errorf("no request %q: give slowest, a number, NAME or NAME:slowest", s.Request)
	}
	if number < 1 || number > len(list) {
		return nil, false, fmt.Errorf("no request %q: there are %d", s.Request, len(list))
	}
	return list[number-1 : number], true, nil
}

// crumb is a step of a walk, by the number of its key.
type crumb struct {
	key key
	portion
}

// path returns the way of one request through time.
func (t *totals) path(q *request) *report.RequestPath {
	t.w.trail = []crumb{}
	t.w.split(q)
	c := t.w.r.labelOf(q).class()
	out := &report.RequestPath{Name: c.name, Kind: c.kind, Goroutine: t.w.r.defs.Locations[q.loc].GoID, Begin: q.begin - t.w.r.begin, Latency: q.end - q.begin, Steps: []report.PathStep{}}
	at := int64(0)
	for _, c := range t.w.trail {
		out.Steps = append(out.Steps, report.PathStep{At: at, LatencyPart: t.part(share{t.keys.number(c.key), c.portion})})
		at += c.time
	}
	t.w.trail = nil
	return out
}
