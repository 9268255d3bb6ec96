package algebra

import (
	"fmt"
	"math"
	"strings"

	"tracerec/report"
)

// RequestChange is how a latency of the requests of one name changed, in seconds. Its noise is what chance does with as many requests.
type RequestChange struct {
	Name     string
	Quantity string // p50, p95 or p99
	Change
}

// RequestChanges compares the requests of two runs, by name: those of A's that are in B, too, in that order. Where only those that waited have a
// name, nothing is said of names.
func RequestChanges(a, b []report.Requests) (list []RequestChange) {
	for i := range a {
		other := report.RequestsLike(b, &a[i])
		if other == nil || a[i].Count == 0 || other.Count == 0 || a[i].Selected(a) || other.Selected(b) {
			continue
		}
		for _, name := range []string{"p50", "p95", "p99"} {
			x, _ := a[i].Quantity(name)
			y, _ := other.Quantity(name)
			list = append(list, RequestChange{a[i].Name, name, Change{A: float64(x.Value) / 1e9, B: float64(y.Value) / 1e9, Noise: report.RequestNoise(x, y) / 1e9}})
		}
	}
	return list
}

// requests shows how latencies of requests changed.
func (p *page) requests() {
	list := p.changes.Requests
	if len(list) == 0 {
		return
	}
	p.head("Latency of requests")
	most := min(p.top, len(list)/3-1) + 1 // all together, and so many names
	for _, c := range list[:3*most] {
		verdict := "within what chance does"
		switch beyond, known := c.Beyond(); {
		case !known:
			verdict = "too few requests to say more"
		case beyond && c.B > c.A:
			verdict = "higher, by more than requests of a run vary (±" + value(c.Noise, c.Change) + ")"
		case beyond:
			verdict = "lower, by more than requests of a run vary (±" + value(c.Noise, c.Change) + ")"
		case c.A == c.B:
			verdict = "equal"
		}
		c.Noise = math.NaN() // which is that of runs elsewhere in this column
		p.row(c.Change, fmt.Sprintf("%s of %s: %s", c.Quantity, c.Name, verdict))
	}
	if rest := len(list)/3 - most; rest > 0 {
		p.line("and %d more names", rest)
	}
	p.line("Runs of the same program may differ by more: repeat them, and look at requests that should not have changed.")
	p.line("")
}

// requestsLead says in a sentence how the latency of all requests changed: the percentile that changed most beyond chance and, if one changed in the other
// direction, that, too. If none did, it is the highest for which there are enough requests; "" if there is none.
func (x *Changes) requestsLead(nameA, nameB string) (text string) {
	var within, lower, higher *RequestChange
	for i := range x.Requests[:min(3, len(x.Requests))] {
		c := &x.Requests[i]
		most := &lower
		if c.B > c.A {
			most = &higher
		}
		switch beyond, known := c.Beyond(); {
		case known && !beyond:
			within = c
		case known && (*most == nil || c.part() >= (*most).part()):
			*most = c
		}
	}
	first, other := lower, higher
	if first == nil || other != nil && other.part() > first.part() {
		first, other = other, first
	}
	switch {
	case first == nil && within == nil:
		return ""
	case first == nil:
		text = within.words(nameA, nameB) + ", which is within what chance does"
	case other == nil:
		text = first.words(nameA, nameB)
	default:
		text = first.words(nameA, nameB) + "; but " + other.words(nameA, nameB)
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// part is how much changed, of the larger side.
func (c *RequestChange) part() float64 { return c.size() / max(c.A, c.B) }

// words say what the quantity is on both sides.
func (c *RequestChange) words(nameA, nameB string) string {
	of := map[string]string{"p99": "one in a hundred requests", "p95": "one in twenty requests", "p50": "half of all requests"}[c.Quantity]
	return fmt.Sprintf("%s took %s or more in %s, and %s or more in %s", of, value(c.A, c.Change), nameA, value(c.B, c.Change), nameB)
}

// jsonRequest is a RequestChange as JSON.
type jsonRequest struct {
	Name     string `json:"name"`
	Quantity string `json:"quantity"`
	A        int64  `json:"a_ns"`
	B        int64  `json:"b_ns"`
	Noise    *int64 `json:"noise_ns"`     // null: too few requests
	Beyond   *bool  `json:"beyond_noise"` // null: not known
}

// jsonRequests returns the changes of requests for programs.
func (x *Changes) jsonRequests() (list []jsonRequest) {
	ns := func(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }
	for _, c := range x.Requests {
		r := jsonRequest{Name: c.Name, Quantity: c.Quantity, A: ns(c.A), B: ns(c.B)}
		if beyond, known := c.Beyond(); known {
			noise := ns(c.Noise)
			r.Noise, r.Beyond = &noise, &beyond
		}
		list = append(list, r)
	}
	return list
}
