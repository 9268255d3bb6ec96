package cube

import (
	"errors"
	"regexp"
	"slices"
	"strings"
)

// WithMetrics returns a cube with other trees of metrics. It shares everything else with c: call paths, system, members,
// and the rows of those metrics that are copies of metrics of c, which must keep their kind and type. Values may be set in neither
// afterwards, and closing one closes both.
func (c *Cube) WithMetrics(roots []*Metric) (*Cube, error) {
	d := *c
	d.Metrics = roots
	return &d, d.completeMetrics()
}

// NumberMetrics puts hidden trees of metrics behind the others, and numbers all metrics in this order, the hidden ones last. Cube's own
// tools need it: they list metrics by number and by order, and have holes where hidden ones are.
func NumberMetrics(roots []*Metric) {
	slices.SortStableFunc(roots, func(a, b *Metric) int {
		switch {
		case a.Ghost == b.Ghost:
			return 0
		case b.Ghost:
			return -1
		}
		return 1
	})
	next := 0
	var number func(list []*Metric, hidden bool)
	number = func(list []*Metric, hidden bool) {
		for _, m := range list {
			if m.Ghost == hidden {
				m.ID = next
				next++
			}
			number(m.Children, hidden)
		}
	}
	number(roots, false)
	number(roots, true)
}

// Expressions stand in specifications of metrics as they are, so that this is no XML before they are escaped.
var expressions = regexp.MustCompile(`(?s)<!--.*?-->|(<cubepl\w*(?:\s[^>]*[^/>])?>)(.*?)(</cubepl\w*\s*>)`)

var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&")

// ReadMetrics reads a specification of metrics as reports carry it in the member remapping.spec: trees of metrics without
// numbers, with expressions that are not escaped. It returns a cube that has only metrics, numbered in document order, and
// Mirrors and Problems. Errors are of type *FormatError; the name is for them.
func ReadMetrics(name, spec string) (*Cube, error) {
	const begin, end = `<cube>`, `</cube>`
	var b strings.Builder
	b.WriteString(begin)
	shifts := []shift{{0, len(begin)}}
	at := 0
	for _, m := range expressions.FindAllStringSubmatchIndex(spec, -1) {
		if m[2] < 0 || strings.HasPrefix(strings.TrimSpace(spec[m[4]:m[5]]), "<![CDATA[") {
			continue
		}
		b.WriteString(spec[at:m[4]])
		b.WriteString(escape(unescape.Replace(spec[m[4]:m[5]])))
		at = m[5]
		shifts = append(shifts, shift{b.Len(), b.Len() - at})
	}
	b.WriteString(spec[at:] + end)
	c := &Cube{}
	err := readMetrics(name, b.String(), c)
	var format *FormatError
	if errors.As(err, &format) {
		for i := len(shifts) - 1; i >= 0; i-- {
			if s := shifts[i]; format.Offset >= int64(s.from) {
				format.Offset = min(int64(len(spec)), max(0, format.Offset-int64(s.by)))
				break
			}
		}
	}
	return c, err
}

// shift is by how much offsets from a place on differ from those in the text that was given.
type shift struct{ from, by int }

func readMetrics(name, text string, c *Cube) error {
	p := newParser(name, "", strings.NewReader(text), c)
	p.unnumbered = true
	root, err := p.root()
	if err != nil {
		return err
	}
	if err := p.children(root, func(e element) error {
		if e.name != "doc" && e.name != "metrics" {
			return p.unknown(e)
		}
		return p.part(e)
	}); err != nil {
		return err
	}
	if len(c.Metrics) == 0 {
		return p.errorf(p.d.InputOffset(), "no metrics")
	}
	return p.complete()
}
