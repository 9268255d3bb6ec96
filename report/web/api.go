package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"

	"tracerec/report"
	"tracerec/report/algebra"
	"tracerec/report/cube"
	"tracerec/report/query"
	"tracerec/report/tracestat"
)

// Report is what is shown.
type Report struct {
	Title      string
	File       string             // as the user calls it
	Model      *query.Model       // of the cube as it is to be shown
	Experiment *report.Experiment // nil if the report is not one of ours
	External   *External          // second report to compare percentages with; nil without
	Stat       *tracestat.Stat    // what Scalasca says of instances, nil without
	Timeline   Timeline           // nil without a trace
	Problems   []string           // what is to be said of the report beside the cube's own problems
	Roots      []string           // directories that the user named to look for sources in
	Recorded   []string           // directories with the source of a program whose trace was analyzed here and now; see [report.Origin]
}

// NewReport prepares to show a report that the user calls so; e is nil if it is not one of ours.
func NewReport(name string, c *cube.Cube, e *report.Experiment) (r *Report, err error) {
	r = &Report{Title: filepath.Base(name), File: name, Experiment: e}
	if e != nil && !e.Merged && e.Header.Program != "" {
		r.Title = filepath.Base(e.Header.Program)
	}
	r.Model, r.Problems, err = query.Display(c)
	return r, err
}

// External is a second report, in whose totals values are expressed.
type External struct {
	File  string
	Model *query.Model
}

// Timeline reads a window of the trace that a report was made from. It is safe for concurrent use.
type Timeline interface {
	Window(report.WindowRequest) (*report.Window, error)
}

// api answers the page's questions about a report. It is safe for concurrent use.
type api struct {
	*Report
	model   *query.Model
	paths   []*cube.CallPath
	places  places
	sources *sources
	spread  *algebra.Spread // of a report of repeated runs, else nil
	around  int             // lines of source shown before and behind the one asked for
}

func newAPI(r *Report) (*api, error) {
	a := &api{Report: r, model: r.Model, paths: r.Model.Cube.Paths(), places: newPlaces(r.Model), sources: newSources(r), spread: algebra.SpreadOf(r.Model.Cube), around: around}
	if err := a.model.Load(); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

func (a *api) close() { a.sources.close() }

// refused is an error that is the asker's.
type refused struct {
	status int
	reason string
}

func (r refused) Error() string { return r.reason }

func badRequest(format string, args ...any) error {
	return refused{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// status returns the HTTP status that tells of an error.
func status(err error) int {
	if r := (refused{}); errors.As(err, &r) {
		return r.status
	}
	return http.StatusInternalServerError
}

// question is the parameters of a request. A wrong one makes it fail; the first failure is kept.
type question struct {
	api    *api
	values url.Values
	err    error
}

// answers are the questions that can be asked, by name.
var answers = map[string]func(*api, *question) (any, error){
	"meta":     (*api).meta,
	"calls":    (*api).calls,
	"flat":     (*api).flat,
	"system":   (*api).system,
	"stats":    (*api).stats,
	"findings": (*api).findings,
	"causers":  (*api).causers,
	"source":   (*api).source,
	"timeline": (*api).timeline,
}

// answer returns the JSON answer to a question.
func (a *api) answer(name string, values url.Values) ([]byte, error) {
	f := answers[name]
	if f == nil {
		return nil, refused{http.StatusNotFound, "there is no such question"}
	}
	answer, err := f(a, &question{api: a, values: values})
	if err != nil {
		return nil, err
	}
	if done, ok := answer.(encoded); ok {
		return done, nil
	}
	return marshal(answer)
}

// encoded is an answer that is JSON already.
type encoded []byte

func (q *question) fail(format string, args ...any) {
	if q.err == nil {
		q.err = badRequest(format, args...)
	}
}

// has says whether a parameter was given.
func (q *question) has(key string) bool { return q.values.Has(key) }

// index reads a parameter that is a place in a list of n.
func (q *question) index(key string, n int) int {
	i, err := strconv.Atoi(q.values.Get(key))
	if err != nil || i < 0 || i >= n {
		q.fail("%s=%.20q is not a number from 0 to %d", key, q.values.Get(key), n-1)
		return -1
	}
	return i
}

// yes reads a parameter that is 0 or 1; without it the answer is 0.
func (q *question) yes(key string) bool {
	switch q.values.Get(key) {
	case "", "0":
		return false
	case "1":
		return true
	}
	q.fail("%s is neither 0 nor 1", key)
	return false
}

// time reads a parameter in ns.
func (q *question) time(key string) int64 {
	t, err := strconv.ParseInt(q.values.Get(key), 10, 64)
	if err != nil {
		q.fail("%s=%.20q is not a number of ns", key, q.values.Get(key))
	}
	return t
}

// what reads which metric is asked for.
func (q *question) what() query.What {
	i := q.index("metric", len(q.api.model.Metrics))
	w := query.What{Self: q.yes("self")}
	if i >= 0 {
		w.Metric = q.api.model.Metrics[i]
	}
	return w
}

// at reads which part of the system is asked for, nil for all of it.
func (q *question) at() *query.Resource {
	if !q.has("at") {
		return nil
	}
	if i := q.index("at", len(q.api.model.Resources)); i >= 0 {
		return q.api.model.Resources[i]
	}
	return nil
}

// path reads which call path is asked for, nil for the whole program.
func (q *question) path() *cube.CallPath {
	if !q.has("path") {
		return nil
	}
	if i := q.index("path", len(q.api.paths)); i >= 0 {
		return q.api.paths[i]
	}
	return nil
}

// region reads which region is asked for, nil for none.
func (q *question) region() *cube.Region {
	if !q.has("region") {
		return nil
	}
	if i := q.index("region", len(q.api.model.Cube.Regions)); i >= 0 {
		return q.api.model.Cube.Regions[i]
	}
	return nil
}

// only fails if a parameter was given that the question does not have.
func (q *question) only(keys ...string) error {
	for key, values := range q.values {
		if !slices.Contains(keys, key) {
			q.fail("there is no parameter %.20q", key)
		}
		if len(values) > 1 {
			q.fail("%s is given twice", key)
		}
	}
	return q.err
}
