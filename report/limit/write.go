package limit

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric/spec"
)

// Write writes a result as text, json or for github.
func Write(w io.Writer, r *Result, format string) error {
	switch format {
	case "json":
		return JSON(w, r)
	case "github":
		return GitHub(w, r, InRepository)
	}
	return Text(w, r)
}

// Text writes a result for people: a line for each limit, and where most of the exceeded ones is.
func Text(w io.Writer, r *Result) error {
	var b strings.Builder
	exceeded := 0
	for _, v := range r.Verdicts {
		word := "held"
		if !v.Held {
			word = "exceeded"
			exceeded++
		}
		fmt.Fprintf(&b, "%-9s %s\n", word, v.sentence())
		if !v.Held && v.Worst != nil {
			fmt.Fprintf(&b, "%-9s %s\n", "", v.worst())
		}
	}
	switch {
	case exceeded == 0 && len(r.Verdicts) > 1:
		fmt.Fprintf(&b, "all %d limits hold\n", len(r.Verdicts))
	case len(r.Verdicts) > 1:
		fmt.Fprintf(&b, "%d of %d limits exceeded\n", exceeded, len(r.Verdicts))
	case exceeded > 0:
		b.WriteString("the limit is exceeded\n")
	default:
		b.WriteString("the limit holds\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// GitHub writes what Text does, with an annotation for each exceeded limit, as the log of a GitHub action takes it. The function
// returns the path of a source file as the repository knows it.
func GitHub(w io.Writer, r *Result, inRepository func(file string) string) error {
	var b strings.Builder
	for _, v := range r.Verdicts {
		if v.Held {
			fmt.Fprintf(&b, "held      %s\n", v.sentence())
			continue
		}
		message, properties := v.sentence(), ""
		if s := v.Worst; s != nil {
			message += "\n" + v.worst()
			if s.File != "" {
				properties = fmt.Sprintf("file=%s,line=%d,", property.Replace(inRepository(s.File)), s.Line)
			}
		}
		title := v.Limit.Metric + " exceeds its limit"
		fmt.Fprintf(&b, "::error %stitle=%s::%s\n", properties, property.Replace(title), data.Replace(message))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Characters that end an annotation, or one of its properties.
var (
	data     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// sentence says what was measured and what it may be.
func (v *Verdict) sentence() string {
	what := readable.Clean(v.Limit.Metric)
	if !v.Limit.Place.Whole() {
		what += " in " + readable.Clean(v.Limit.Place.String())
	}
	value, most := quantity(v.Value, v.Unit), quantity(v.Max, v.Unit)
	if !v.Held && value == most {
		value, most = all(v.Value, v.Unit), all(v.Max, v.Unit)
	}
	switch {
	case v.open():
		value = "nothing of it certain, " + within(v.Value, v.In, v.Unit)
	case v.In != nil:
		value += ", not all certain, " + within(v.Value, v.In, v.Unit)
	}
	if v.MaxIn != nil {
		most = within(v.Max, v.MaxIn, v.Unit)
	}
	switch b := v.Limit.Bound; {
	case b.Kind == fixed, v.ofRatio():
		return fmt.Sprintf("%s: %s; at most %s", what, value, most)
	case b.Kind == share:
		share := plain(b.Number) + " %"
		if v.MaxIn != nil {
			share += ", " + most
		}
		return fmt.Sprintf("%s: %s, %s of %s (%s); at most %s", what, value, v.percent(), readable.Clean(v.Of), quantity(v.Whole, v.Unit), share)
	}
	more := quantity(v.Noise, v.Unit)
	switch {
	case v.Limit.Bound.Kind != same:
		more += " more"
	case v.Tolerated:
		more += " of tolerance"
	default:
		more += " of noise"
	}
	return fmt.Sprintf("%s: %s; at most %s, the baseline's %s and %s", what, value, most, quantity(v.Baseline, v.Unit), more)
}

// open says that nothing is certain of the value, so that it is not 0.
func (v *Verdict) open() bool { return v.In != nil && v.Value == 0 }

// within says what a truth lies in of which value is certain; in is nil if all is.
func within(value float64, in *spec.Interval, unit string) string {
	if in == nil {
		return quantity(value, unit)
	}
	return "from " + quantity(in.Low, unit) + " to " + quantity(in.High, unit)
}

// quantity writes a value in its unit, that of a share in per cent.
func quantity(v float64, unit string) string {
	if isShare(unit) {
		return readable.Percent(100 * v)
	}
	return readable.Quantity(v, unit)
}

// worst says where the value comes from.
func (v *Verdict) worst() string {
	s := v.Worst
	if s.Slow != "" {
		return readable.Clean(s.Slow)
	}
	var b strings.Builder
	if v.Limit.Bound.Baseline() {
		fmt.Fprintf(&b, "%s more", quantity(s.Growth, v.Unit))
	} else {
		b.WriteString(quantity(s.Value, v.Unit))
	}
	if s.Value > v.Value && !v.Limit.Bound.Baseline() { // several waited at once
		b.WriteString(" of waiting in total")
	}
	fmt.Fprintf(&b, " in %s", readable.Clean(strings.Join(s.Path, readable.Arrow)))
	if s.File != "" {
		b.WriteString(", " + readable.Place(readable.Base(s.File), s.Line))
	}
	if s.Location != "" {
		fmt.Fprintf(&b, ", most on %s", readable.Clean(s.Location))
	}
	return b.String()
}

func plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// percent writes what part of the whole the value is, in as many digits as show that it is more than it may be.
func (v *Verdict) percent() string {
	if v.Whole == 0 {
		return readable.Percent(0)
	}
	p := 100 * v.Value / v.Whole
	for digits := 1; digits < 6 && !v.Held; digits++ {
		if text := strconv.FormatFloat(p, 'f', digits, 64); text != strconv.FormatFloat(v.Limit.Bound.Number, 'f', digits, 64) {
			if digits == 1 {
				break
			}
			return text + " %"
		}
	}
	return readable.Percent(p)
}

// all writes a value with all its digits.
func all(v float64, unit string) string {
	if isShare(unit) {
		v, unit = 100*v, "%"
	}
	text := strconv.FormatFloat(v, 'g', 12, 64)
	if v == math.Trunc(v) {
		text = readable.Count(v)
	}
	return text + " " + unit
}

// jsonVerdict is a Verdict as JSON. Numbers are in the unit of the metric.
type jsonVerdict struct {
	Limit    string    `json:"limit"`
	Metric   string    `json:"metric"`
	Place    string    `json:"place,omitempty"`
	Unit     string    `json:"unit"`
	Held     bool      `json:"held"`
	Value    *float64  `json:"value"`              // null: nothing of it is certain
	AtLeast  *float64  `json:"at_least,omitempty"` // what the truth lies in, if not all of the value is certain
	AtMost   *float64  `json:"at_most,omitempty"`
	Max      float64   `json:"max"`
	MaxFrom  *float64  `json:"max_at_least,omitempty"` // and for that
	MaxTo    *float64  `json:"max_at_most,omitempty"`
	Of       string    `json:"of,omitempty"`
	Whole    *float64  `json:"whole,omitempty"`
	Baseline *float64  `json:"baseline,omitempty"`
	Noise    *float64  `json:"noise,omitempty"`
	Worst    *jsonSpot `json:"dearest"`
}

// jsonSpot is where most of a value is.
type jsonSpot struct {
	Path     []string `json:"path"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Location string   `json:"location,omitempty"`
	Value    float64  `json:"value"`
	Growth   *float64 `json:"growth,omitempty"`
	Slow     string   `json:"slow,omitempty"` // what slow requests do, in words
}

// JSON writes a result for programs.
func JSON(w io.Writer, r *Result) error {
	out := struct {
		Report   string        `json:"report"`
		Baseline string        `json:"baseline,omitempty"`
		Held     bool          `json:"held"`
		Limits   []jsonVerdict `json:"limits"`
	}{r.Report, r.Baseline, r.Held(), []jsonVerdict{}}
	for i := range r.Verdicts {
		out.Limits = append(out.Limits, r.Verdicts[i].json())
	}
	return readable.JSON(w, out)
}

func (v *Verdict) json() jsonVerdict {
	j := jsonVerdict{Limit: v.Limit.String(), Metric: v.Limit.Metric, Place: v.Limit.Place.String(), Unit: v.Unit, Held: v.Held, Value: &v.Value, Max: v.Max, Of: v.Of}
	if v.open() {
		j.Value = nil
	}
	if v.In != nil {
		j.AtLeast, j.AtMost = &v.In.Low, &v.In.High
	}
	if v.MaxIn != nil {
		j.MaxFrom, j.MaxTo = &v.MaxIn.Low, &v.MaxIn.High
	}
	if s := v.Worst; s != nil {
		j.Worst = &jsonSpot{s.Path, s.File, s.Line, s.Location, s.Value, nil, s.Slow}
	}
	if v.Limit.Bound.Kind == share {
		j.Whole = &v.Whole
	}
	if v.Limit.Bound.Baseline() {
		j.Baseline, j.Noise = &v.Baseline, &v.Noise
		if j.Worst != nil {
			j.Worst.Growth = &v.Worst.Growth
		}
	}
	return j
}
