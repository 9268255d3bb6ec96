//go:build linux

package recorder

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"strings"
	"time"

	"tracerec/internal/shm"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// A process is a measured process on its way to the archive.
type process struct {
	view    *shm.View
	info    shm.Info
	machine *Machine // on which it runs, nil if here
	out     *trace.ProcessWriter
	taken   []shm.Chunk // not written yet; in the order of each location
	room    []shm.Chunk // for these when there are none
	bytes   int         // of them
	since   int64       // when the first of them was taken, ns
	over    bool        // everything is in the archive, the buffer is gone
	cut     bool        // somebody cut off the buffer
	closed  *stamps     // when it was seen that its window is over; nil if it is not
	runsOn  bool        // it is recorded no further, but has not ended
	hidden  bool        // its number is of another name space, or it has ended: the system cannot be asked about it
	damage  error       // of its definitions
	missing []string    // what it said of counters that it could not open
	quotas  []quota     // of its control groups, when it began to record
	spent   int64       // processor time that it has used since it began to record, ns, as far as known
	ceased  int64       // that it had used when it ceased to record, ns; 0 if it has not
	next    *process    // the program that it became by exec, if that joined, or its next window

	pidfd   *os.File      // nil if the system has none, or not for this process
	watched chan struct{} // closed when died is known, or never will be; nil if the process is not watched
	died    *trace.Stamp  // nil if not known
	atDeath int64         // processor time that it had used then, ns; 0 if its parent was faster

	// Known when it is over, or left:
	warnings   map[string]uint64
	processors int                // on which its goroutines could run at once at last, 0 unknown
	lost       uint64             // events,
	losses     []shm.LocationLoss // by goroutine
	recorded   time.Duration      // from its begin to its end
	heldUp     time.Duration      // waiting for buffer memory, summed over goroutines
	cost       int64              // what recording cost at least, as measured, ns; 0 if it was not
	waiting    uint64             // events in the buffer that are not in the archive
	unrecorded uint64             // processes of the run that are not recorded; of the root
}

// Events are written in portions: large ones compress better and cost fewer frames, small ones give memory
// back to the program earlier. What waits is safe in the buffer.
const (
	portion  = 14 * 64 << 10 // bytes of chunks; with large ones, this fills two frames of the archive
	maxDelay = time.Second
)

// take takes what the process has retired and returns how many bytes wait to be written.
func (p *process) take() int {
	p.used()
	const much = 1 << 16 // chunks: memory for more is needed seldom, and is not kept
	before := len(p.taken)
	if before == 0 {
		p.taken, p.since = p.room, p.machine.monotonic()
	}
	p.taken = p.view.TakeRetired(p.taken)
	if before == 0 && cap(p.taken) <= much {
		p.room = p.taken[:0]
	}
	for _, c := range p.taken[before:] {
		p.bytes += c.Size()
	}
	return p.bytes
}

// awaited tells whether goroutines may be waiting for what was taken.
func (p *process) awaited() bool { return len(p.taken) > 0 && p.view.Exhausted() }

// due tells whether it is time to write, of a process that waits where buffers are full or does not.
func (p *process) due(block bool) bool {
	return block && p.awaited() || p.bytes >= portion || len(p.taken) > 0 && p.machine.monotonic()-p.since >= int64(maxDelay)
}

// write writes what was taken and gives its memory back to the process.
func (p *process) write(w *trace.Writer) error {
	if err := p.describe(); err != nil {
		return err
	}
	for len(p.taken) > 0 {
		n, err := p.save(w, p.taken)
		if err != nil {
			return err
		}
		p.release(n)
	}
	return nil
}

// describe writes the present clocks and the definitions that are new.
func (p *process) describe() error {
	for d, damage := range p.view.NewDefs() {
		switch {
		case damage != nil:
			p.damage = errors.Join(p.damage, damage)
			continue
		case d.Type == wire.DefMissing:
			p.missing = append(p.missing, missingText(d))
			continue
		}
		if d.Type == wire.DefRegion && p.machine != nil && p.machine.Source != nil {
			d.File = p.machine.Source(d.File)
		}
		if err := p.out.Define(d); err != nil {
			return err
		}
	}
	return p.out.Clock(p.now())
}

// save writes the first of the chunks, about a portion, and returns how many. Then they are in the file.
func (p *process) save(w *trace.Writer, chunks []shm.Chunk) (n int, err error) {
	for bytes := 0; n < len(chunks) && bytes < portion; n++ {
		c := &chunks[n]
		bytes += c.Size()
		if err := p.out.Chunk(trace.RawChunk{Location: c.Location, GoID: c.GoID, Seq: c.Seq, Base: c.Base, Words: c.Words}); err != nil {
			return 0, err
		}
	}
	return n, w.Flush()
}

// release gives the memory of the first n chunks taken back to the process.
func (p *process) release(n int) {
	for _, c := range p.taken[:n] {
		p.bytes -= c.Size()
		p.view.Free(c)
	}
	if p.taken = p.taken[n:]; len(p.taken) == 0 {
		p.taken = nil
	}
}

// finish writes everything that is left in the buffer, how and when the process ended, and removes the buffer. The process
// is dead, or records no more, or is given up: events that it goes on writing are not seen.
func (p *process) finish(w *trace.Writer, status int, at trace.Stamp) error {
	p.recorded = time.Duration(at.Mono - p.info.Start.Mono)
	if err := p.intact(func() error { return p.saveAll(w) }); err != nil {
		return err
	}
	if p.cut {
		p.warnings = map[string]uint64{cutOff: 1}
	}
	if p.unrecorded > 0 {
		p.warnings[notRecorded] = p.unrecorded
	}
	if p.runsOn {
		p.warnings[stillRunning] = 1
	}
	heldUpByQuotas(p.warnings, p.quotas, p.processors)
	err := errors.Join(p.out.Processors(p.processors), p.out.Cost(p.cost), p.out.Warnings(p.warnings), p.out.Exited(status, at), w.Flush())
	if err != nil {
		return err
	}
	p.over, p.taken = true, nil
	p.close()
	if err := os.Remove(p.info.Path); !errors.Is(err, fs.ErrNotExist) { // the session directory may have been removed
		return err
	}
	return nil
}

// saveAll writes everything that is in the buffer.
func (p *process) saveAll(w *trace.Writer) error {
	lost, ends := p.view.Losses()
	p.losses = lost
	owned := p.view.Owned // those taken too
	if p.runsOn {
		owned = p.view.OwnedNow
	}
	chunks := append(owned(), ends...)
	if err := p.describe(); err != nil {
		return err
	}
	for len(chunks) > 0 {
		n, err := p.save(w, chunks)
		if err != nil {
			return err
		}
		chunks = chunks[n:]
	}
	p.sum()
	return nil
}

// sum notes what the process counted.
func (p *process) sum() {
	p.warnings, p.processors = p.view.Warnings(), int(min(p.view.Processors(), math.MaxInt32))
	for _, text := range p.missing {
		p.warnings[text]++
	}
	p.lost += p.warnings[lostEvents]
	if p.info.Frequency != 0 {
		p.heldUp = time.Duration(float64(p.view.HeldUp()) / float64(p.info.Frequency) * 1e9)
	}
	p.cost = p.costs(p.out.Events())
}

// costs returns what it cost the process at least to record so many events, in ns, if it was measured: of operations in programs that tracerec builds, of which there
// must be enough, else it is 0. Each of them has one or two events; others cost what one did when recording began.
func (p *process) costs(events uint64) int64 {
	const enough = 100 * shm.Timed
	calls, ticks := p.view.Operations()
	if calls < enough || p.info.Frequency == 0 {
		return 0
	}
	measured := float64(ticks) / float64(p.info.Frequency) * 1e9
	return int64(min(measured, math.MaxInt64/4)) + trace.RecordingCost(events-min(2*calls, events), p.info.EventCost)
}

// drop gives back what was taken, unwritten.
func (p *process) drop() {
	p.lost += events(p.taken)
	p.release(len(p.taken))
}

// leave closes the buffer, with everything that is in it. That is lost if somebody removed the file.
func (p *process) leave() {
	p.intact(func() error {
		p.sum()
		p.waiting = events(p.view.Owned())
		p.losses, _ = p.view.Losses()
		return nil
	})
	if !p.view.Named() {
		p.lost, p.waiting = p.lost+p.waiting, 0
	}
	p.close()
}

func (p *process) close() {
	p.pidfd.Close() // nil is as good as closed
	p.view.Close()
}

// events counts the events in chunks.
func events(chunks []shm.Chunk) (n uint64) {
	for _, c := range chunks {
		for at := 0; at < len(c.Words); n++ {
			kind, id, _ := wire.Unpack(c.Words[at])
			at += 1 + wire.WordsOf(kind, id) // known, see shm.Chunk
		}
	}
	return n
}

// now reads the clocks of the process.
func (p *process) now() trace.Stamp { return p.machine.now(p.info.Clock) }

// command returns the command line.
func (p *process) command() string { return strings.Join(p.info.Args, " ") }
