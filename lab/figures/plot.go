package main

import (
	"fmt"
	"math"
	"strings"

	"tracerec/counters/mpx"
	"tracerec/lab/figures/loops"
)

// Geometry of a panel, in pixels.
const (
	panelWidth, panelHeight = 250, 190
	marginLeft, marginTop   = 46, 34
	lowest, highest         = 0.5, 1.5 // ratios that are shown; others stand at the edge
	decades                 = 6        // of the number of events
	perFactor               = 5        // periods of each length that are shown
)

// colours of points by the length of the period.
var colours = []struct {
	until float64 // t·n
	name  string
	fill  string
}{{0.9, "T < t·n", "#999999"}, {7, "1 … 5", "#e08214"}, {1e9, "10 … 100", "#2166ac"}}

// plots draws figures like 3 and 4 of the paper: the ratio of multiplexed and true counts against the number of events.
func (r *result) plots() map[string]string {
	out := map[string]string{}
	names := map[string]string{"one thread, one counter": "multiplexing-figure3.svg", "one thread, 4 counters": "multiplexing-four-counters.svg"}
	for i := 0; i+2 < len(r.series); i += len(workloads) {
		name, ok := names[r.series[i].title()]
		if !ok {
			name = "multiplexing-figure4.svg"
		}
		out[name] = drawing(r.series[i:i+len(workloads)], "writes")
	}
	if r.noLoops == nil {
		out["multiplexing-loops.svg"] = drawing(r.loopSeries(), "loop")
	}
	return out
}

// loopSeries are the paper's loops as if their single counts were the truth. There is no cost of counting in them.
func (r *result) loopSeries() []series {
	out := make([]series, len(loops.Patterns))
	for i, p := range loops.Patterns {
		out[i] = series{load: p, threads: 1, slots: 1}
		for _, x := range r.loops {
			if x.pattern != p {
				continue
			}
			s := sample{factor: float64(x.value.Total) / r.rotation.frequency / r.config.slice.Seconds() / 4, truth: x.alone}
			s.values[mpx.Global] = x.value
			out[i].samples = append(out[i].samples, s)
		}
	}
	return out
}

func drawing(of []series, what string) string {
	var b strings.Builder
	_, height := canvas(&b, len(of))
	for column := range of {
		for row, corrected := range []bool{false, true} {
			fmt.Fprintf(&b, `<g transform="translate(%d %d)">`+"\n", marginLeft+column*(panelWidth+marginLeft), marginTop+row*(panelHeight+marginTop))
			panel(&b, &of[column], what, corrected)
			b.WriteString("</g>\n")
		}
	}
	x := marginLeft
	for _, c := range colours {
		fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="4" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n", x, height-16, c.fill, x+9, height-12, escape(c.name))
		x += 90
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d">ratio of estimate and truth against the number of events; T in t·n; %s</text>`+"\n</svg>\n", x, height-12, of[0].title())
	return b.String()
}

// canvas begins a drawing of two rows of panels.
func canvas(b *strings.Builder, columns int) (width, height int) {
	width, height = columns*(panelWidth+marginLeft)+10, 2*(panelHeight+marginTop)+50
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+"\n", width, height)
	fmt.Fprintf(b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	return width, height
}

// axes draws those of a panel: ratios against the decades of a number of events.
func axes(b *strings.Builder, title string, decades int) {
	fmt.Fprintf(b, `<text x="%d" y="-8" text-anchor="middle">%s</text>`+"\n", panelWidth/2, title)
	for _, ratio := range []float64{0.5, 0.8, 0.95, 1, 1.05, 1.2, 1.5} {
		stroke := "#dddddd"
		if ratio == 1 {
			stroke = "black"
		}
		fmt.Fprintf(b, `<path d="M0 %.1fh%d" stroke="%s" stroke-width="0.6"/><text x="-4" y="%.1f" text-anchor="end" font-size="9">%g</text>`+"\n",
			vertical(ratio), panelWidth, stroke, vertical(ratio)+3, ratio)
	}
	for d := range decades + 1 {
		x := float64(d) / float64(decades) * panelWidth
		fmt.Fprintf(b, `<path d="M%.1f 0v%d" stroke="#dddddd" stroke-width="0.6"/><text x="%.1f" y="%d" text-anchor="middle" font-size="9">10<tspan dy="-4" font-size="7">%d</tspan></text>`+"\n",
			x, panelHeight, x, panelHeight+12, d)
	}
}

// panel draws the axes and the points of one series.
func panel(b *strings.Builder, s *series, what string, corrected bool) {
	kind := "raw"
	if corrected {
		kind = "corrected"
	}
	axes(b, s.load+" "+what+", "+kind, decades)
	for i, c := range colours {
		from := 0.0
		if i > 0 {
			from = colours[i-1].until
		}
		fmt.Fprintf(b, `<path fill="none" stroke="%s" stroke-width="3.2" stroke-linecap="round" stroke-opacity="0.7" d="`, c.fill)
		points(b, s, from, c.until, corrected)
		b.WriteString("\"/>\n")
	}
}

// points draws periods of from up to until t·n. Of many periods of one length the first few are shown.
func points(b *strings.Builder, s *series, from, until float64, corrected bool) {
	shown := map[float64]int{}
	for i := range s.samples {
		x := &s.samples[i]
		v := x.values[mpx.Global]
		if x.factor < from || x.factor >= until || !v.Known() || x.truth == 0 || shown[x.factor] >= perFactor*cells {
			continue
		}
		shown[x.factor]++
		count := v.Raw
		if corrected {
			count = v.Count
		}
		fmt.Fprintf(b, "M%.1f %.1fh0", horizontal(float64(x.truth)), vertical(float64(count)/float64(x.truth)))
	}
}

func horizontal(count float64) float64 {
	return math.Log10(max(1, count)) / decades * panelWidth
}

// vertical places ratios; those beyond the scale stand at its edge.
func vertical(ratio float64) float64 {
	return (highest - min(highest, max(lowest, ratio))) / (highest - lowest) * panelHeight
}

func escape(s string) string { return strings.ReplaceAll(s, "<", "&lt;") }
