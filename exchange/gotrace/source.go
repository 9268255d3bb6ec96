package gotrace

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync/atomic"
	"unsafe"

	exp "golang.org/x/exp/trace"

	"tracerec/internal/readable"
)

// source reads the events of a trace. The reader panics at some damage.
type source struct {
	r    *exp.Reader
	file *counter
	text *bufio.Reader // of file; what the reader reads
	last *exp.Time     // of the event before, of the reader: see lastOf
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
	s.last = lastOf(s.r)
	return s, err
}

// lastOf returns where the reader keeps the time of the event before, which it takes for the least that an event can have. So it should not be at the begin of a part of the
// trace: all threads go on to the next part by themselves, and while one that was about to tell of something in this part has no processor, others are in that already, for
// milliseconds. All of that would be told as of one moment.
func lastOf(r *exp.Reader) *exp.Time {
	if f := reflect.ValueOf(r).Elem().FieldByName("lastTs"); f.IsValid() && f.Type() == reflect.TypeFor[exp.Time]() {
		return (*exp.Time)(unsafe.Pointer(f.UnsafeAddr()))
	}
	return new(exp.Time)
}

// step is an event, and what it says: asking can panic, and reads tables that the reader changes as it goes on, so the reader's goroutine asks.
type step struct {
	exp.Event
	transition exp.StateTransition // of an EventStateTransition
	about      any                 // exp.Range, exp.Region or exp.Task of others; of an EventMetric, how many goroutines can run at once, as int, if it tells; of an EventSync, how many bytes have been read, which are those of the events up to the next one
}

// says asks the event.
func (s *step) says() {
	switch s.Kind() {
	case exp.EventStateTransition:
		s.transition = s.StateTransition()
	case exp.EventRangeBegin, exp.EventRangeActive, exp.EventRangeEnd:
		s.about = s.Range()
	case exp.EventRegionBegin, exp.EventRegionEnd:
		s.about = s.Region()
	case exp.EventTaskBegin, exp.EventTaskEnd:
		s.about = s.Task()
	case exp.EventMetric:
		s.about = nil // steps are used again
		if m := s.Metric(); m.Name == "/sched/gomaxprocs:threads" && m.Value.Kind() == exp.ValueUint64 {
			s.about = int(min(m.Value.Uint64(), 1<<16))
		}
	}
}

// read fills a batch with events, until stop says that those are enough, or there are no more.
func (s source) read(batch []step, stop func([]step) bool) (filled []step, err error) {
	filled = batch[:0]
	defer caught(&err)
	for len(filled) < len(batch) && !stop(filled) {
		next := &batch[len(filled)]
		if next.Event, err = s.r.ReadEvent(); err != nil {
			break
		}
		if next.says(); next.Kind() == exp.EventSync {
			next.about = s.file.bytes - int64(s.text.Buffered())
			*s.last = 0
		}
		filled = batch[:len(filled)+1]
	}
	return filled, err
}

const (
	ahead      = 3      // batches
	batchSteps = 1 << 9 // in each of them
)

// each reads events in a goroutine of its own, and has them taken in batches until there are no more, or one cannot be taken. It returns why it ended.
func (s source) each(take func([]step) error) error {
	full, free := make(chan []step, ahead), make(chan []step, ahead)
	for range ahead {
		free <- make([]step, batchSteps)
	}
	var enough atomic.Bool
	var damage error // known when full is closed
	go func() {
		defer close(full)
		for damage == nil && !enough.Load() {
			var batch []step
			batch, damage = s.read(<-free, func([]step) bool { return enough.Load() })
			full <- batch
		}
	}()
	var err error
	for batch := range full {
		if err == nil {
			err = take(batch)
			enough.Store(err != nil)
		}
		free <- batch[:cap(batch)]
	}
	return cmp.Or(err, damage)
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
