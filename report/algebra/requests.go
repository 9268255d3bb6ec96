package algebra

import (
	"fmt"
	"math"

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

// requestsLead says in a sentence how the latency of all requests changed, by the highest percentile for which there are enough of them; "" if there is none.
func (x *Changes) requestsLead(nameA, nameB string) string {
	for _, q := range []struct{ quantity, of string }{{"p99", "One in a hundred requests"}, {"p95", "One in twenty requests"}, {"p50", "Half of all requests"}} {
		for _, c := range x.Requests[:min(3, len(x.Requests))] {
			beyond, known := c.Beyond()
			if c.Quantity != q.quantity || !known {
				continue
			}
			text := fmt.Sprintf("%s took %s or more in %s, and %s or more in %s", q.of, value(c.A, c.Change), nameA, value(c.B, c.Change), nameB)
			if !beyond {
				text += ", which is within what chance does"
			}
			return text + "."
		}
	}
	return ""
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
