package main

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"tracerec/lab/figures/loops"
)

// Between these lines of the document is what was measured on the simulator.
const (
	simulatedBegin = "<!-- begin of what the figures command writes of the simulator -->"
	simulatedEnd   = "<!-- end of what the figures command writes of the simulator -->"
)

// lengths are the rows of the table of shares.
var lengths = []class{{"< 1", 0, 1}, {"1 … 3", 1, 3}, {"3 … 10", 3, 10}, {"≥ 10", 10, 1e9}, {"all ≥ 1", 1, 1e9}}

// figure says how a figure of the paper is called here.
func figure(threads int) (number int, title string) {
	if threads == 1 {
		return 3, "one thread"
	}
	return 4, fmt.Sprintf("%d threads", threads)
}

// tables writes everything as Markdown. It is the same in every run.
func (s *simulation) tables() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "t = %v, %.2f million cycles; n = %d, T ≥ t·n from %.1f million cycles on; %s of 2^%d to 2^%d iterations, each on %d processors at most.\n",
		s.config.slice, s.config.slice.Seconds()*hertz/1e6, len(simulatedEvents), s.config.slice.Seconds()*hertz*float64(len(simulatedEvents))/1e6,
		"loops", shortestLoop, s.config.iterations, s.config.threads)
	s.shares(&b)
	for _, threads := range []int{1, s.config.threads} {
		s.values(&b, threads)
	}
	s.biases(&b)
	return b.Bytes()
}

// shares writes how many values are near the truth.
func (s *simulation) shares(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n#### Shares of values near the truth\n\n")
	fmt.Fprintln(b, "| | | | | | of the same run | | of a run without MPX | |")
	fmt.Fprintln(b, "|---|---|---|---|---|---|---|---|---|")
	fmt.Fprintln(b, "| threads | T / t·n | values | marked | without data | 1 % | 5 % | 1 % | 5 % |")
	row := func(threads int, name string, of []point) {
		if len(of) == 0 {
			return
		}
		marked := 0
		for i := range of {
			if !of[i].value.Enough {
				marked++
			}
		}
		known, one, five := near(of, (*point).ratio)
		_, one2, five2 := near(of, (*point).apart)
		fmt.Fprintf(b, "| %d | %s | %d | %s | %s | %s | %s | %s | %s |\n", threads, name, len(of), percent(marked, len(of)), percent(len(of)-known, len(of)),
			percent(one, known), percent(five, known), percent(one2, known), percent(five2, known))
	}
	for _, threads := range []int{1, s.config.threads} {
		points := s.points(threads)
		where := func(is func(p *point) bool) (out []point) {
			for i := range points {
				if is(&points[i]) {
					out = append(out, points[i])
				}
			}
			return out
		}
		for _, c := range lengths {
			row(threads, c.name, where(func(p *point) bool { return p.length >= c.from && p.length < c.to }))
		}
		for e, name := range simulatedEvents {
			row(threads, name+", ≥ 1", where(func(p *point) bool { return p.event == e && p.length >= 1 }))
		}
		for _, l := range loops.Patterns {
			row(threads, l+", ≥ 1", where(func(p *point) bool { return p.pattern == l && p.length >= 1 }))
		}
	}
}

// values writes a row for each run of a figure: ratios to both truths.
func (s *simulation) values(b *bytes.Buffer, threads int) {
	number, title := figure(threads)
	fmt.Fprintf(b, "\n#### Figure %d, %s: ratios of estimate and truth\n\n", number, title)
	fmt.Fprintln(b, "| | | | of the same run | | | | of a run without MPX | | | |")
	fmt.Fprintln(b, "|---|---|---|---|---|---|---|---|---|---|---|")
	fmt.Fprintf(b, "| loop | iterations | T / t·n | %s | %s |\n", strings.Join(simulatedEvents, " | "), strings.Join(simulatedEvents, " | "))
	points := s.points(threads)
	for n := len(simulatedEvents) * threads; len(points) > 0; points = points[n:] {
		of := points[:n]
		fmt.Fprintf(b, "| %s | 2^%d | %s |", of[0].pattern, of[0].power, span(of, func(p *point) float64 { return p.length }, "%.2f"))
		for _, ratio := range []func(*point) float64{(*point).ratio, (*point).apart} {
			for e := range simulatedEvents {
				fmt.Fprintf(b, " %s |", cell(of, e, ratio))
			}
		}
		fmt.Fprintln(b)
	}
}

// cell writes the ratios of an event, of all threads.
func cell(of []point, event int, ratio func(*point) float64) string {
	var known []point
	mark, unknown := "", 0
	for _, p := range of {
		switch {
		case p.event != event:
		case !p.value.Known():
			unknown++
		default:
			if known = append(known, p); !p.value.Enough {
				mark = "*"
			}
		}
	}
	text := "–"
	if len(known) > 0 {
		text = span(known, ratio, "%.3f") + mark
	}
	if unknown > 0 && len(known) > 0 {
		text += fmt.Sprintf(", %d without", unknown)
	}
	return text
}

// span writes the least and the greatest.
func span(of []point, what func(*point) float64, format string) string {
	least, most := math.Inf(1), math.Inf(-1)
	for i := range of {
		least, most = min(least, what(&of[i])), max(most, what(&of[i]))
	}
	text := fmt.Sprintf(format, least)
	if other := fmt.Sprintf(format, most); other != text {
		text += " … " + other
	}
	return text
}

// biases writes what MPX does to the misses.
func (s *simulation) biases(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n#### Misses of the level-one data cache that MPX causes\n\n")
	fmt.Fprintf(b, "2^%d iterations; counts of the measured thread, from the simulator. *Lost*: how often per rotation the thread lost its processor, beyond the run without MPX. *Moved*: how often per rotation it moved to another processor.\n\n", min(s.config.iterations, biasPower))
	fmt.Fprintln(b, "| | | | | | rotator, one processor | | | | rotator, two processors | | | the thread itself | |")
	fmt.Fprintln(b, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
	fmt.Fprintln(b, "| loop | passes | L1 | t | misses without MPX | more | per rotation | lost | MPX says | more | per rotation | moved | more | per rotation |")
	for i := range biases {
		x := &biases[i]
		a := x.asks(s.config)
		shared, handler, apart := s.pollution(a[0], a[1]), s.pollution(a[0], a[2]), s.pollution(a[3], a[4])
		says, passes := "–", "–"
		if v := shared.with.Values[misses]; v.Known() {
			says = more(float64(v.Count)/float64(shared.without.Truth[misses]) - 1)
		}
		if x.pattern == "tiled" {
			passes = fmt.Sprint(x.passes)
		}
		fmt.Fprintf(b, "| %s | %s | %d KiB | %v | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", x.pattern, passes, x.l1>>10, a[0].slice, shared.without.Truth[misses],
			more(shared.share()), shared.misses(), shared.scheduled(lost), says, more(apart.share()), apart.misses(), apart.scheduled(moved), more(handler.share()), handler.misses())
	}
}

func more(share float64) string { return fmt.Sprintf("%+.1f %%", 100*share) }

// update writes the tables into the document and the figures beside it.
func (s *simulation) update(doc string) error {
	if err := replace(doc, simulatedBegin, simulatedEnd, s.tables()); err != nil {
		return err
	}
	for _, threads := range []int{1, s.config.threads} {
		number, _ := figure(threads)
		name := fmt.Sprintf("multiplexing-simulated-figure%d.svg", number)
		if err := write(filepath.Join(filepath.Dir(doc), name), s.drawing(threads)); err != nil {
			return err
		}
	}
	return nil
}

// drawing is a figure of the paper: of each loop the ratios against the number of events, to both truths.
func (s *simulation) drawing(threads int) string {
	var b strings.Builder
	points := s.points(threads)
	width, height := canvas(&b, len(loops.Patterns))
	for column, pattern := range loops.Patterns {
		for row, ratio := range []func(*point) float64{(*point).ratio, (*point).apart} {
			fmt.Fprintf(&b, `<g transform="translate(%d %d)">`+"\n", marginLeft+column*(panelWidth+marginLeft), marginTop+row*(panelHeight+marginTop))
			axes(&b, pattern+", "+[]string{"truth of the same run", "a run without MPX"}[row], simulatedDecades)
			for i := range points {
				if p := &points[i]; p.pattern == pattern && p.value.Known() {
					spot(&b, p, ratio(p))
				}
			}
			b.WriteString("</g>\n")
		}
	}
	_, title := figure(threads)
	x := marginLeft
	for e, name := range simulatedEvents {
		fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="4" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n", x, height-16, eventColours[e], x+9, height-12, name)
		x += 100
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">ratio against the number of events; hollow: not enough slices; %s</text>`+"\n</svg>\n", width-10, height-12, title)
	return b.String()
}

const simulatedDecades = 10

var eventColours = []string{"#2166ac", "#b2182b", "#4d9221", "#e08214"}

// spot draws a point; a hollow one had not enough slices.
func spot(b *strings.Builder, p *point, ratio float64) {
	fill := eventColours[p.event]
	if !p.value.Enough {
		fill = "white"
	}
	x := math.Log10(float64(max(1, p.truth))) / simulatedDecades * panelWidth
	fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="2.2" fill="%s" stroke="%s"/>`+"\n", x, vertical(ratio), fill, eventColours[p.event])
}
