package algebra

import (
	"bufio"
	"bytes"
	"strings"
)

// Lead says in a sentence or two whether B is better than A, as Text does.
func (x *Changes) Lead() []string {
	var b bytes.Buffer
	p := &page{Writer: bufio.NewWriter(&b), changes: x, a: x.A, b: x.B}
	p.lead()
	p.Flush()
	return strings.FieldsFunc(b.String(), func(r rune) bool { return r == '\n' })
}
