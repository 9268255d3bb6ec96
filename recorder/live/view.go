package live

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"tracerec/internal/readable"
	"tracerec/trace/wire"
)

// Options say how a recording is shown.
type Options struct {
	Metric   string        // the first one; "" is executing
	Format   string        // "screen", "text", or "json", a frame a line
	Interval time.Duration // between two frames, at least Shortest
	Count    int           // frames, after which it ends; 0: with the recording
}

// view is what is shown of a recording that goes on: one metric, by region, over time.
type view struct {
	metric  string // shown
	paused  bool
	top     int // rows scrolled away
	frame   Frame
	elapsed time.Duration
	past    map[Key][]map[string]float64 // rates, by frame, the last one now
	frames  int
}

// kept is how many frames are remembered: the width of the widest terminal.
const kept = 400

// uncertain ends the names of rates by how much a counter may be more, below zero if nobody knows.
const uncertain = "\x00uncertain"

func newView(metric string) *view {
	return &view{metric: cmp.Or(metric, executing), past: map[Key][]map[string]float64{}}
}

// add takes a frame.
func (p *view) add(f Frame) {
	p.frames++
	p.elapsed += time.Duration(f.Interval)
	if p.paused {
		return
	}
	p.frame = f
	for _, r := range f.Rows {
		rates := map[string]float64{}
		for i, name := range f.Metrics {
			rates[name] = rate(name, r.Values[i], f.Interval)
			rates[name+uncertain] = rate(name, r.Uncertain[i], f.Interval)
		}
		history := append(p.past[r.Key], rates)
		p.past[r.Key] = history[max(0, len(history)-kept):]
	}
}

// rate is a value of a frame per second; of times, the goroutines on average.
func rate(metric string, value, interval int64) float64 {
	if interval <= 0 {
		return 0
	}
	if wire.CounterUnit(metric) == "ns" || metric == executing || metric == waiting {
		return float64(value) / float64(interval)
	}
	return float64(value) / float64(interval) * 1e9
}

// next shows the metric that many places further.
func (p *view) next(by int) {
	if n := len(p.frame.Metrics); n > 0 {
		at := max(0, slices.Index(p.frame.Metrics, p.metric))
		p.metric, p.top = p.frame.Metrics[(at+by+n)%n], 0
	}
}

// unit says what the rates of a metric are.
func unit(metric string) string {
	switch metric {
	case executing, waiting:
		return "goroutines " + metric
	}
	if wire.CounterUnit(metric) == "ns" {
		return metric + " in processors"
	}
	return metric + " per second"
}

// lines draws the view: a title, a line for each region, the largest first, and a line of help.
func (p *view) lines(width, height int) []string {
	width = max(width, 24)
	f := &p.frame
	title := fmt.Sprintf("%s  %s", unit(p.metric), readable.Duration(p.elapsed))
	if i := slices.Index(f.Metrics, p.metric); i >= 0 {
		title = fmt.Sprintf("[%d/%d] %s", i+1, len(f.Metrics), title)
	} else if p.frames > 0 {
		title += "  (not recorded)"
	}
	title += "  " + readable.Plural(f.Goroutines, "goroutine") + " in regions"
	if f.Seen < 0.995 {
		title += "  " + readable.RoughPercent(f.Seen) + " of events seen"
	}
	if p.paused {
		title += "  PAUSED"
	}
	lines := []string{readable.Left(title, width)}
	rows := p.ranked()
	p.top = max(0, min(p.top, len(rows)-1))
	name := min(30, width/3)
	most := 0.0
	for _, r := range rows {
		for _, v := range p.values(r, width-name-12) {
			most = max(most, v)
		}
	}
	for _, r := range rows[p.top:] {
		if len(lines) >= height-1 {
			break
		}
		values := p.values(r, width-name-12)
		lines = append(lines, readable.Left(readable.Clean(r.Name), name)+" "+readable.Right(p.now(r), 9)+" "+
			readable.Left(bars(values, most), width-name-11))
	}
	help := "← → metric   ↑ ↓ scroll   space pause   q leave the view"
	if more := len(rows) - p.top - (len(lines) - 1); more > 0 {
		help += fmt.Sprintf("   (%d more regions)", more)
	}
	return append(lines, readable.Left(help, width))
}

// ranked returns the regions that did something in what is shown, the largest sum first.
func (p *view) ranked() []Key {
	sums := map[Key]float64{}
	var keys []Key
	for k, history := range p.past {
		more := false
		for _, rates := range history {
			sums[k] += rates[p.metric]
			more = more || rates[p.metric+uncertain] != 0
		}
		if sums[k] > 0 || more {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b Key) int {
		return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a.Name, b.Name), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return keys
}

// now writes the last rate of a region, or what it is at most if nothing of it is certain, "?" if nobody knows.
func (p *view) now(k Key) string {
	history := p.past[k]
	if len(history) == 0 {
		return "0"
	}
	rates := history[len(history)-1]
	switch v, more := rates[p.metric], rates[p.metric+uncertain]; {
	case v != 0 || more == 0:
		return readable.Count(v)
	case more < 0:
		return "?"
	default:
		return "≤" + readable.Count(more)
	}
}

// values returns the last n rates of a region.
func (p *view) values(k Key, n int) []float64 {
	var values []float64
	for _, rates := range p.past[k] {
		values = append(values, rates[p.metric])
	}
	return values[max(0, len(values)-max(0, n)):]
}

// bars draws values as a line of bars; most is a full one.
func bars(values []float64, most float64) string {
	const steps = " ▁▂▃▄▅▆▇█"
	glyphs := []rune(steps)
	var b strings.Builder
	for _, v := range values {
		at := 0
		if most > 0 && v > 0 {
			at = 1 + min(len(glyphs)-2, int(math.Floor(v/most*float64(len(glyphs)-1))))
		}
		b.WriteRune(glyphs[at])
	}
	return b.String()
}

// key does what a key asks for; false is to leave.
func (p *view) key(k byte) bool {
	switch k {
	case 'q':
		return false
	case right, 'm', '\t':
		p.next(1)
	case left:
		p.next(-1)
	case up:
		p.top--
	case down:
		p.top++
	case ' ':
		p.paused = !p.paused
	}
	return true
}

// Keys of more than one byte, as screen.keys sends them.
const (
	up byte = 0x80 + iota
	down
	right
	left
)

// writeFrame writes a frame as a table.
func writeFrame(out io.Writer, p *view) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s after %s, %s in regions, %s of events seen\n", unit(p.metric), readable.Duration(p.elapsed),
		readable.Plural(p.frame.Goroutines, "goroutine"), readable.RoughPercent(p.frame.Seen))
	for _, k := range p.ranked() {
		fmt.Fprintf(&b, "%s %s\n", readable.Right(p.now(k), 12), readable.Clean(k.Name))
	}
	_, err := io.WriteString(out, b.String())
	return err
}
