// Package tracestat reads the statistics that Scalasca writes beside a report, in a file trace.stat: for each wait state, how
// long its instances were, and the worst of them.
package tracestat

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// FileName is the name that the file has, beside a report or as a member of it.
const FileName = "trace.stat"

// Stat is the content of a file.
type Stat struct {
	Patterns []Pattern // in the order of the file
}

// Pattern describes the instances of one wait state, in seconds. What the file does not say, as it does for few instances, is
// NaN. Median and quartiles are estimates, made without keeping the instances: of few, they may lie outside of Min and Max.
type Pattern struct {
	Name     string // unique name of the metric in the report
	Count    uint64 // instances
	Mean     float64
	Median   float64
	Min, Max float64
	Sum      float64
	Variance float64 // s²
	Q25, Q75 float64
	Worst    []Instance // the worst of each call path, longest first
}

// Instance is one occurrence of a wait state. Of a collective operation, the duration is the sum over all ranks and the rank
// the one that waited longest; from its enter to its exit it may be shorter, and with a clock that was mended, even negative.
type Instance struct {
	CallPath int     // number in the report
	Enter    float64 // s since the start of the trace
	Exit     float64
	Duration float64 // s waited
	Rank     int     // -1 if the file does not say
}

// Pattern returns the pattern of that name, or nil.
func (s *Stat) Pattern(name string) *Pattern {
	for i := range s.Patterns {
		if s.Patterns[i].Name == name {
			return &s.Patterns[i]
		}
	}
	return nil
}

// maxLine is the length of the longest line, bytes.
const maxLine = 1 << 16

// Read reads a file. Errors name it and the offset.
func Read(name string, r io.Reader) (*Stat, error) {
	s, at := &Stat{}, int64(0)
	fail := func(err error) (*Stat, error) { return nil, fmt.Errorf("%s: offset %d: %w", name, at, err) }
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), maxLine)
	next := int64(0)
	lines.Split(func(b []byte, end bool) (int, []byte, error) {
		n, line, err := bufio.ScanLines(b, end)
		next += int64(n)
		return n, line, err
	})
	skip := 0
	for first := true; lines.Scan(); first, at = false, next {
		line := strings.TrimSpace(lines.Text())
		var err error
		switch {
		case first:
			if skip, err = header(line); err != nil {
				return fail(err)
			}
		case line == "":
		case strings.HasPrefix(line, "-"):
			err = s.instance(line)
		default:
			err = s.pattern(line, skip)
		}
		if err != nil {
			return fail(err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fail(fmt.Errorf("a line of more than %d bytes", maxLine))
	} else if err != nil {
		return fail(err)
	}
	if next == 0 {
		return fail(errors.New("the file is empty"))
	}
	return s, nil
}

var columns = []string{"PatternName", "Count", "Mean", "Median", "Minimum", "Maximum", "Sum", "Variance", "Quartil25", "Quartil75"}

// header checks the first line. Old files have the number of the metric behind its name; skip is the number of such columns.
func header(line string) (skip int, err error) {
	names := strings.Fields(line)
	if len(names) > 1 && names[1] == "MetricID" {
		names = slices.Delete(names, 1, 2)
		skip = 1
	}
	for i, name := range names {
		if i >= len(columns) || name != columns[i] {
			return 0, fmt.Errorf("does not begin with the header of statistics, %s …", strings.Join(columns[:3], " "))
		}
	}
	if line == "" {
		return 0, errors.New("no header")
	}
	return skip, nil
}

// pattern reads the line of a wait state: as many numbers as make sense for its count.
func (s *Stat) pattern(line string, skip int) (err error) {
	f := strings.Fields(line)
	if len(f) > skip {
		f = slices.Delete(f, 1, 1+skip)
	}
	if len(f) < 2 || len(f) > len(columns) {
		return fmt.Errorf("%d columns instead of 2 to %d", len(f), len(columns))
	}
	p := Pattern{Name: f[0]}
	if s.Pattern(p.Name) != nil {
		return fmt.Errorf("%s is there twice", p.Name)
	}
	if p.Count, err = strconv.ParseUint(f[1], 10, 64); err != nil {
		return fmt.Errorf("%q is not a count", f[1])
	}
	for i, to := range []*float64{&p.Mean, &p.Median, &p.Min, &p.Max, &p.Sum, &p.Variance, &p.Q25, &p.Q75} {
		*to = math.NaN()
		if i+2 >= len(f) {
			continue
		}
		if *to, err = number(f[i+2]); err != nil {
			return err
		}
	}
	s.Patterns = append(s.Patterns, p)
	return nil
}

// number reads a number. What is none because it was computed from too little is NaN.
func number(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimPrefix(text, "-"), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%q is not a number", text)
	}
	if math.IsInf(v, 0) {
		return math.NaN(), nil
	}
	if strings.HasPrefix(text, "-") { // also "-nan", as C writes it
		v = -v
	}
	return v, nil
}

// instance reads a line "- cnode N enter: T exit: T duration: T rank: N". Other pairs of a name and a value are left out.
func (s *Stat) instance(line string) error {
	if len(s.Patterns) == 0 {
		return errors.New("an instance without a wait state")
	}
	p := &s.Patterns[len(s.Patterns)-1]
	f := strings.Fields(strings.TrimPrefix(line, "-"))
	if len(f)%2 != 0 {
		return fmt.Errorf("an odd number of %d words about an instance", len(f))
	}
	in := Instance{CallPath: -1, Rank: -1, Enter: math.NaN(), Exit: math.NaN(), Duration: math.NaN()}
	for ; len(f) > 0; f = f[2:] {
		var err error
		switch strings.TrimSuffix(f[0], ":") {
		case "cnode":
			in.CallPath, err = natural(f[1])
		case "rank":
			in.Rank, err = natural(f[1])
		case "enter":
			in.Enter, err = number(f[1])
		case "exit":
			in.Exit, err = number(f[1])
		case "duration":
			in.Duration, err = number(f[1])
		}
		if err != nil {
			return err
		}
	}
	if in.CallPath < 0 || math.IsNaN(in.Enter+in.Exit+in.Duration) {
		return errors.New("an instance lacks its cnode, enter, exit or duration")
	}
	p.Worst = append(p.Worst, in)
	return nil
}

func natural(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%q is not a natural number", text)
	}
	return n, nil
}
