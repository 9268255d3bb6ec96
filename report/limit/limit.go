// Package limit compares a report with limits: what a metric may be at most, in the whole program or below
// a call path, as a share, as a number, or relative to another report.
package limit

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"
)

// Help says what limits are, to people.
const Help = `check holds a report, or the analysis of a trace directory, against limits. For
each limit it prints whether it held; if not, also where most of the value is.

A limit is METRIC[@PLACE][=BOUND], or of requests QUANTITY(NAME)[=BOUND]: p50,
p95, p99, mean, max or count; NAME * is all requests. Bounds:
    5%                    of the root of the metric's tree, usually time
  20% of critical_path  of another metric
  200ms, 3000           a time (ns us ms s min h), a count (k M G T Ki Mi Gi Ti)
  +10%, +200ms          more than in the baseline
    none                  the baseline's value plus its noise or --tolerance

PLACE names call paths by their last regions: main/solve is solve called from
main, and everything below it. Shares are shares of what is there. A / at the
beginning makes the first name a root. * matches any part of a name, ** any
number of regions; \ removes the special meaning of the next character. The /
of a name such as GET /search needs none.

Exit status: 0 if all limits held, 1 if one was exceeded, 2 if one cannot be
evaluated.`

// Limit is the most that a metric may be.
//
// As text it is METRIC[@PLACE][=BOUND]. BOUND is one of
//
//	5%                     of the root of the metric's tree, at the same place
//	20% of critical_path   of another metric, at the same place
//	200ms                  a time: ns, us, ms, s, min or h
//	3000                   a count; k, M, G, T or Ki, Mi, Gi, Ti may follow
//	+10%, +200ms, +3000    more than in the baseline
//
// METRIC may also be a quantity of requests, by their name: p99(GET /search), of all of them with * in place of it. That has no PLACE.
//
// Without a bound it is what the baseline has, and its noise. PLACE names call paths, see Place.
type Limit struct {
	Metric string
	Place  Place
	Bound  Bound
}

// Bound is the right side of a limit.
type Bound struct {
	Kind   Kind
	Number float64 // not negative
	Unit   string  // of Fixed and More: "" or one of those that a Limit may name
	Of     string  // of Share: the metric that is 100 %; "" for the root
}

// Kind tells bounds apart.
type Kind uint8

// The kinds of bounds. Those from Same on need a baseline.
const (
	share     Kind = iota // per cent of another metric
	fixed                 // a number
	same                  // what the baseline has, and its noise
	moreShare             // per cent more than the baseline has
	moreFixed             // a number more than the baseline has
)

// Baseline says whether the bound is meant beside another report.
func (b Bound) Baseline() bool { return b.Kind >= same }

// Units that numbers may have: how many nanoseconds, or how many of the metric's own unit.
var (
	times  = map[string]float64{"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9}
	counts = map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40}
)

// Parse reads a limit.
func Parse(text string) (Limit, error) {
	if l, is, err := parseRequests(text); is {
		if err != nil {
			err = fmt.Errorf("limit %q: %w", text, err)
		}
		return l, err
	}
	left, right, bounded := cutLast(text)
	name, place, placed := strings.Cut(left, "@")
	l := Limit{Metric: strings.TrimSpace(name), Bound: Bound{Kind: same}}
	fail := func(what string) (Limit, error) { return Limit{}, fmt.Errorf("limit %q: %s", text, what) }
	if l.Metric == "" {
		return fail("no metric; for instance lock_competition=5%")
	}
	if strings.HasSuffix(l.Metric, `\`) {
		return fail(`the metric ends in \`)
	}
	var err error
	if placed {
		if l.Place, err = parsePlace(place); err != nil {
			return fail(err.Error())
		}
	}
	if bounded {
		if l.Bound, err = parseBound(right); err != nil {
			return fail(err.Error())
		}
	}
	return l, nil
}

// cutLast cuts a limit at its last = that is not escaped.
func cutLast(text string) (left, right string, found bool) {
	at := -1
	for i := range unescaped(text, '=') {
		at = i
	}
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+1:], true
}

// unescaped yields where c stands in a text without a \ before it.
func unescaped(text string, c byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 0; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case c:
				if !yield(i) {
					return
				}
			}
		}
	}
}

func parseBound(text string) (Bound, error) {
	text, more := strings.CutPrefix(strings.TrimSpace(text), "+")
	digits := 0
	for digits < len(text) && (text[digits] >= '0' && text[digits] <= '9' || text[digits] == '.') {
		digits++
	}
	number, err := strconv.ParseFloat(text[:digits], 64)
	if err != nil || math.IsInf(number, 0) {
		return Bound{}, fmt.Errorf("%q is not a number with %% or a unit, like 5%%, 200ms or 3000", text)
	}
	unit := strings.TrimSpace(text[digits:])
	if of, ok := strings.CutPrefix(unit, "%"); ok {
		return parseShare(number, of, more)
	}
	if unit != "" && times[unit] == 0 && counts[unit] == 0 {
		return Bound{}, fmt.Errorf("unknown unit %q; there are %%, ns, us, ms, s, min, h, k, M, G, T, Ki, Mi, Gi, Ti", unit)
	}
	kind := fixed
	if more {
		kind = moreFixed
	}
	return Bound{Kind: kind, Number: number, Unit: unit}, nil
}

// parseShare reads what comes after the per cent sign: nothing, or of which metric.
func parseShare(number float64, of string, more bool) (Bound, error) {
	kind := share
	if more {
		kind = moreShare
	}
	if strings.TrimSpace(of) == "" {
		return Bound{Kind: kind, Number: number}, nil
	}
	words := strings.Fields(of)
	if more || len(words) != 2 || words[0] != "of" {
		return Bound{}, fmt.Errorf("%q after the per cent sign; a share may be followed by “of METRIC”, an increase by nothing", strings.TrimSpace(of))
	}
	return Bound{Kind: kind, Number: number, Of: words[1]}, nil
}

// ParsePercent reads a tolerance like 10%, and returns 10.
func ParsePercent(text string) (float64, error) {
	b, err := parseBound(text)
	if err != nil || b.Kind != share || b.Of != "" {
		return 0, fmt.Errorf("%q is not a percentage, like 10%%", text)
	}
	return b.Number, nil
}

// read reads limits from a file: one on each line, empty lines and what follows a # aside. Errors name the line.
func read(name string, r io.Reader) ([]Limit, error) {
	var list []Limit
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		for i := range unescaped(text, '#') {
			text = text[:i]
			break
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		l, err := Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		list = append(list, l)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: %w", name, errors.New("no limits"))
	}
	return list, nil
}

// String writes the limit so that Parse reads it.
func (l Limit) String() string {
	s := l.Metric
	if place := l.Place.String(); place != "" {
		s += "@" + place
	}
	if b := l.Bound.String(); b != "" {
		s += "=" + b
	}
	return s
}

func (b Bound) String() string {
	number := strconv.FormatFloat(b.Number, 'f', -1, 64)
	switch b.Kind {
	case share:
		if b.Of != "" {
			return number + "% of " + b.Of
		}
		return number + "%"
	case fixed:
		return number + b.Unit
	case moreShare:
		return "+" + number + "%"
	case moreFixed:
		return "+" + number + b.Unit
	}
	return ""
}
