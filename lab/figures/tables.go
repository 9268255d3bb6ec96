package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tracerec/counters/mpx"
)

// class is a row of a table: periods of about the same length.
type class struct {
	name     string
	from, to float64 // t·n
}

var classes = []class{{"¼, ½", 0, 0.9}, {"1, 2", 0.9, 3}, {"5", 3, 7}, {"10", 7, 15}, {"20", 15, 30}, {"50, 100", 30, 1e9}}

// shares are the parts of values that came near to the truth.
type shares struct {
	n, unknown, marked int
	within             [3]int // 1 %, 5 %, 20 %
	covered, errors    int    // truth within two standard errors
}

var limits = [3]float64{0.01, 0.05, 0.20}

// add counts a value. How near a value is to the truth is asked only where there is one.
func (s *shares) add(truth, count int64, v mpx.Value) {
	s.n++
	if !v.Enough {
		s.marked++
	}
	if !v.Known() {
		s.unknown++
		return
	}
	off := math.Abs(float64(count - truth))
	for i, l := range limits {
		if off <= l*float64(truth) {
			s.within[i]++
		}
	}
	if !math.IsInf(v.Error, 1) {
		s.errors++
		if off <= 2*v.Error {
			s.covered++
		}
	}
}

func percent(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(of))
}

func (s *shares) row() string {
	known := s.n - s.unknown
	return fmt.Sprintf("%s | %s | %s", percent(s.within[0], known), percent(s.within[1], known), percent(s.within[2], known))
}

// of collects the shares of a series' values in a class; corrected chooses the values without the cost of counting.
func (s *series) of(c class, e mpx.Estimator, corrected bool) (out shares) {
	for i := range s.samples {
		x := &s.samples[i]
		if x.factor < c.from || x.factor >= c.to {
			continue
		}
		v := x.values[e]
		count := v.Raw
		if corrected {
			count = v.Count
		}
		out.add(x.truth, count, v)
	}
	return out
}

// long is the class of periods of at least 10·t·n.
var long = class{"≥ 10", 10, 1e9}

func (s *series) title() string {
	threads, slots := "one thread", "one counter"
	if s.threads > 1 {
		threads = fmt.Sprintf("%d threads", s.threads)
	}
	if s.slots > 1 {
		slots = fmt.Sprintf("%d counters", s.slots)
	}
	return threads + ", " + slots
}

// marks counts the values of periods that had fewer slices than events, and those of them that are marked; silent are values of
// events that were not counted and are not marked.
func (r *result) marks() (values, marked, silent int) {
	for i := range r.series {
		for of := r.series[i].samples; len(of) > 0; of = of[cells:] { // the cells of a period stand together
			slices := 0
			for _, x := range of[:cells] {
				slices += x.values[mpx.Global].Slices
			}
			for _, x := range of[:cells] {
				v := x.values[mpx.Global]
				if !v.Known() && v.Enough {
					silent++
				}
				if slices < cells && !v.Whole {
					values++
					if !v.Enough {
						marked++
					}
				}
			}
		}
	}
	return values, marked, silent
}

// tables writes everything that was measured as Markdown.
func (r *result) tables(w io.Writer) error {
	var b bytes.Buffer
	r.conditions(&b)
	for i := range r.series {
		s := &r.series[i]
		if i == 0 || s.title() != r.series[i-1].title() {
			fmt.Fprintf(&b, "\n### %s\n\n", strings.ToUpper(s.title()[:1])+s.title()[1:])
			fmt.Fprintln(&b, "| writes | T / t·n | values | marked | without data | raw 1 % | 5 % | 20 % | corrected 1 % | 5 % | 20 % |")
			fmt.Fprintln(&b, "|---|---|---|---|---|---|---|---|---|---|---|")
		}
		for _, c := range classes {
			raw, corrected := s.of(c, mpx.Global, false), s.of(c, mpx.Global, true)
			if raw.n == 0 {
				continue
			}
			fmt.Fprintf(&b, "| %s | %s | %d | %s | %s | %s | %s |\n", s.load, c.name, raw.n,
				percent(raw.marked, raw.n), percent(raw.unknown, raw.n), raw.row(), corrected.row())
		}
	}
	r.estimators(&b)
	r.paper(&b)
	_, err := w.Write(b.Bytes())
	return err
}

// conditions tells how and where it was measured.
func (r *result) conditions(b *bytes.Buffer) {
	fmt.Fprintf(b, "Measured on %s, cycles of the time-stamp counter at %.2f GHz; t = %v, n = %d; %s.\n\n", r.processor,
		r.rotation.frequency/1e9, r.config.slice, cells, r.load)
	fmt.Fprintf(b, "* A counted write costs %.0f cycles, %.1f µs.\n", r.hit, r.hitTime.Seconds()*1e6)
	fmt.Fprintf(b, "* Four cells on four registers, without multiplexing: %s.\n", map[bool]string{true: "every count is correct",
		false: "**some counts are wrong**"}[r.correct])
	lost := r.rotation.measured
	what := micro(lost[1])
	if lost[0] <= 0 {
		what = "less than can be measured"
	}
	fmt.Fprintf(b, "* A rotation takes the rotator %s (the paper's handler: 160 µs; 170 to 215 µs with four threads). The measured thread loses %s (quartiles %s to %s).\n",
		micro(r.rotation.rotator), what, micro(lost[0]), micro(lost[2]))
	for i := range r.series {
		s := &r.series[i]
		if s.load == "steady" && s.stats.Rotations > 0 {
			fmt.Fprintf(b, "* During the steady run of %s: %d rotations, %s each by the clock.\n", s.title(), s.stats.Rotations,
				micro(s.stats.Time/time.Duration(s.stats.Rotations)))
		}
	}
	values, marked, silent := r.marks()
	fmt.Fprintf(b, "* Periods with fewer slices than events: %d values, %d marked. Events without data that are not marked: %d.\n", values, marked, silent)
	for i := range r.series {
		if s := &r.series[i]; s.load == "steady" {
			x := s.of(long, mpx.Global, true)
			fmt.Fprintf(b, "* Steady writes, corrected, T ≥ 10·t·n, %s: %s of %d values within 5 %%.\n", s.title(),
				percent(x.within[1], x.n-x.unknown), x.n)
		}
	}
}

func micro(d time.Duration) string { return fmt.Sprintf("%.1f µs", d.Seconds()*1e6) }

// estimators compares them on the same slices.
func (r *result) estimators(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n### Estimators, corrected, T ≥ 10·t·n\n\n")
	fmt.Fprintln(b, "The last column is the share of values that are within two of their standard errors of the true number.")
	fmt.Fprintln(b, "\n| run | writes | estimator | values | 1 % | 5 % | 20 % | within 2 σ |\n|---|---|---|---|---|---|---|---|")
	for i := range r.series {
		s := &r.series[i]
		for e := range mpx.Trapezoid + 1 {
			x := s.of(long, e, true)
			fmt.Fprintf(b, "| %s | %s | %s | %d | %s | %s |\n", s.title(), s.load, e, x.n, x.row(), percent(x.covered, x.errors))
		}
	}
}

// paper writes what the paper's loops gave.
func (r *result) paper(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n### The paper's loops\n\n")
	if r.noLoops != nil {
		fmt.Fprintln(b, "This machine does not have these counters:")
		fmt.Fprintln(b)
		for line := range strings.Lines(r.noLoops.Error()) {
			fmt.Fprintf(b, "* %s\n", strings.TrimSpace(line))
		}
		return
	}
	fmt.Fprintln(b, "| loop | iterations | event | alone | multiplexed | ratio | |\n|---|---|---|---|---|---|---|")
	for _, x := range r.loops {
		mark := ""
		if !x.value.Enough {
			mark = "not enough slices"
		}
		multiplexed, ratio := "–", "–"
		if x.value.Known() {
			multiplexed, ratio = fmt.Sprint(x.value.Count), fmt.Sprintf("%.3f", float64(x.value.Count)/float64(x.alone))
		}
		fmt.Fprintf(b, "| %s | 2^%d | %s | %d | %s | %s | %s |\n", x.pattern, x.power, x.event, x.alone, multiplexed, ratio, mark)
	}
}

// Between these lines of the document the tables stand.
const begin, end = "<!-- begin of what the figures command writes -->", "<!-- end of what the figures command writes -->"

// update writes the tables into the document and the plots beside it.
func (r *result) update(doc string) error {
	var b bytes.Buffer
	if err := r.tables(&b); err != nil {
		return err
	}
	if err := replace(doc, begin, end, b.Bytes()); err != nil {
		return err
	}
	for name, svg := range r.plots() {
		if err := write(filepath.Join(filepath.Dir(doc), name), svg); err != nil {
			return err
		}
	}
	return nil
}

// replace writes a text between two lines of the document.
func replace(doc, begin, end string, what []byte) error {
	text, err := os.ReadFile(doc)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s: the lines that say where the tables go are missing: %s", doc, begin)
	}
	return write(doc, fmt.Sprintf("%s%s\n\n%s\n%s%s", before, begin, what, end, after))
}

func write(name, text string) error { return os.WriteFile(name, []byte(text), 0o644) }
