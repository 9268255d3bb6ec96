package gotrace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	exp "golang.org/x/exp/trace"

	"tracerec/internal/readable"
)

// source reads the events of a trace. The reader panics at some damage.
type source struct {
	r    *exp.Reader
	file *counter
	text *bufio.Reader // of file; what the reader reads
}

// counter counts what is read.
type counter struct {
	r     io.Reader
	bytes int64
	ended bool // there is no more
}

func (c *counter) Read(p []byte) (n int, err error) {
	n, err = c.r.Read(p)
	c.bytes += int64(n)
	c.ended = c.ended || err == io.EOF
	return n, err
}

func newSource(r io.Reader) (s source, err error) {
	defer caught(&err)
	s.file = &counter{r: r}
	s.text = bufio.NewReaderSize(s.file, 1<<16)
	s.r, err = exp.NewReader(s.text)
	return s, err
}

func (s source) read() (e exp.Event, err error) {
	defer caught(&err)
	return s.r.ReadEvent()
}

// caught makes a panic of the reader an error.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("%v", p)
	}
}

// unfinished begins errors of the reader where a part of the trace has no end, beside those that are of the end itself.
var unfinished = []string{"failed to read full batch", "incomplete generation"}

// told says for people what an error of the reader means. It reads a part of the trace, of about a second, before it returns the first event of that;
// where the trace ends in a part, the words of the reader are only about how that is stored.
func (s source) told(damage error) error {
	if damage == nil {
		return nil
	}
	line, _, _ := strings.Cut(damage.Error(), "\n")
	line = strings.TrimSuffix(line, ":")
	place := "byte " + readable.Grouped(s.file.bytes-int64(s.text.Buffered()), 0)
	if !s.file.ended || s.text.Buffered() > 0 {
		return fmt.Errorf("damaged at about %s: %s", place, line)
	}
	cut := s.file.bytes < header || errors.Is(damage, io.EOF) || errors.Is(damage, io.ErrUnexpectedEOF)
	for _, begin := range unfinished {
		cut = cut || strings.HasPrefix(line, begin)
	}
	if cut {
		return fmt.Errorf("cut at %s", place)
	}
	return fmt.Errorf("damaged, or cut, at about %s", place)
}
