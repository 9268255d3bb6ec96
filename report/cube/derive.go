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

// What comes before an expression or a remark of a specification of metrics, and behind.
var (
	opening      = regexp.MustCompile(`<!--|<cubepl\w*(?:\s[^>]*[^/>])?>`)
	behind       = regexp.MustCompile(`</cubepl\w*\s*>`)
	behindRemark = regexp.MustCompile(`-->`)
)

// expressions returns where those of a specification begin and end. They stand there as they are, so that it is no XML before they are
// escaped. What opens and does not end is for the parser to find.
func expressions(spec string) (places [][2]int) {
	for at := 0; ; {
		begin := opening.FindStringIndex(spec[at:])
		if begin == nil {
			return places
		}
		remark, closing := spec[at+begin[0]+1] == '!', behind
		if remark {
			closing = behindRemark
		}
		at += begin[1]
		end := closing.FindStringIndex(spec[at:])
		if end == nil {
			return places
		}
		if !remark {
			places = append(places, [2]int{at, at + end[0]})
		}
		at += end[1]
	}
}

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
	for _, place := range expressions(spec) {
		text := spec[place[0]:place[1]]
		if strings.HasPrefix(strings.TrimSpace(text), "<![CDATA[") {
			continue
		}
		b.WriteString(spec[at:place[0]])
		b.WriteString(escape(unescape.Replace(text)))
		at = place[1]
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
