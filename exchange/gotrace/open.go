package gotrace

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"time"

	exp "golang.org/x/exp/trace"

	"tracerec/trace"
)

var magic = regexp.MustCompile(`^go 1\.\d+ trace\x00`)

// header is how many bytes there are before the first event.
const header = 16

// plain is how long an archive gets before it is compressed. Without that, it takes up to twice the room that the trace takes.
const plain = 64 << 20

// Is says whether a file that starts so, with 16 bytes or more, is a Go execution trace.
func Is(start []byte) bool { return magic.Match(start) }

// Open reads a Go execution trace of this name as an archive, which is a file without a name: nothing is left of it once it is closed. The archive
// has what could be read; damage is what is wrong with the rest.
func Open(name string, r io.Reader) (a *trace.Archive, damage, err error) {
	return OpenPart(name, r, 0, math.MaxInt64, nil)
}

// Sofar is how much of a trace has been read, and what the archive has of it.
type Sofar struct {
	Bytes                      int64
	Events, Locations, Objects int64
}

// OpenPart is Open for the part of the trace in [from, to), ns from its start: as if the trace had been begun and ended then, but for what each goroutine is
// in at first, which is known. It ends with the error of check, which is asked about once for each second of the trace, if that is not nil.
func OpenPart(name string, r io.Reader, from, to int64, check func(Sofar) error) (a *trace.Archive, damage, err error) {
	f, err := os.CreateTemp("", "expert-")
	if err != nil {
		return nil, nil, err
	}
	if err = os.Remove(f.Name()); err == nil {
		if damage, err = convert(f, r, part{uint64(from), uint64(to)}, check); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}
	var info os.FileInfo
	if err == nil {
		info, err = f.Stat()
	}
	if err == nil {
		a, err = trace.OpenReader(name, f, info.Size())
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	if damage != nil {
		left := "only what is complete before that is analyzed"
		if len(a.Chunks()) == 0 {
			left = "nothing before that is complete, so there is nothing to analyze"
		}
		damage = fmt.Errorf("%s: %w: %s", name, damage, left)
	}
	return a, damage, nil
}

// convert writes the archive of a trace.
func convert(out io.Writer, r io.Reader, of part, check func(Sofar) error) (damage, err error) {
	in, damage := newSource(r)
	early, damage := in.early(damage)
	o := trace.Options{Resolution: 1, Plain: plain}
	if len(early) > 0 && early[0].Kind() == exp.EventSync {
		if s := early[0].Sync().ClockSnapshot; s != nil {
			o.Wall = s.Wall.UnixNano() + int64(of.from)
		}
	}
	w, err := trace.NewWriter(out, o)
	if err != nil {
		return nil, err
	}
	p, err := w.AddProcess(trace.ProcessInfo{Processors: processors(early), Clock: "nanotime"})
	if err != nil {
		return nil, err
	}
	c := newConverter(p, early, of)
	c.check = check
	if damage = cmp.Or(c.take(early), damage); damage == nil {
		damage = in.each(c.take)
	}
	if damage == io.EOF && in.file.bytes > header {
		damage = nil
	}
	damage = in.told(damage)
	if c.finish(); c.err != nil {
		return nil, c.err
	}
	if c.latest < of.from && damage != nil {
		return nil, fmt.Errorf("the trace has nothing behind %v: %w", time.Duration(c.latest).Round(time.Microsecond), damage)
	}
	if c.latest < of.from {
		return nil, fmt.Errorf("the trace ends before that, after %v", time.Duration(c.latest).Round(time.Microsecond))
	}
	return damage, w.Close()
}

// take takes events up to the end of the part, which is io.EOF, or to the first that is damaged.
func (c *converter) take(events []step) error {
	for i := range events {
		if c.timed(&events[i]); c.now >= c.part.to {
			c.now, c.latest = c.part.to, c.part.to
			return io.EOF
		}
		if c.event(&events[i]); c.damage != nil || c.err != nil {
			return cmp.Or(c.damage, c.err)
		}
	}
	return nil
}

// mostEarly is how many events there may be before the one that tells the number of processors.
const mostEarly = 1 << 12

// early reads the first events, up to the one that tells how many goroutines can run at once.
func (s source) early(damage error) ([]step, error) {
	if damage != nil {
		return nil, damage
	}
	return s.read(make([]step, mostEarly), func(list []step) bool { return processors(list[max(0, len(list)-1):]) > 0 })
}

// processors returns the number of goroutines that can run at once, 0 if the events do not say.
func processors(events []step) int {
	for i := range events {
		if n, is := events[i].about.(int); is {
			return n
		}
	}
	return 0
}
