package analyzer

import (
	"slices"
	"time"

	"tracerec/report"
	"tracerec/trace"
)

// header fills the header in.
func (b *builder) header() {
	h, defs := &b.out.Header, b.s.defs
	head := b.s.archive.Header()
	h.Processes, h.Recordings = processes(defs.Processes)
	h.Events, h.Resolution = b.s.events, head.Resolution
	h.Exit, h.Focus, b.out.Split = -1, b.path.end-b.path.begin, b.path.split
	if p := b.lives.pathProcess; p >= 0 {
		h.PathPID = defs.Processes[p].PID
	}
	for i := range b.s.locations {
		if l := &b.s.locations[i]; l.seen {
			h.Goroutines++
			h.Time += l.end - l.begin
			if defs.Locations[i].Stream {
				h.Streams++
			}
		}
	}
	h.Threads, h.Cut, h.Damaged = threads(defs), !head.Complete, head.Damaged
	b.out.Origin.Start = time.Unix(0, head.Start).UTC()
	for i := range defs.Processes {
		p := report.Process{PID: defs.Processes[i].PID}
		p.Unended = defs.Processes[i].Exit < 0 && head.Root >= 0 && head.Root < len(defs.Processes) && defs.Processes[head.Root].Exit >= 0
		if args := defs.Processes[i].Args; len(args) > 0 {
			p.Program = args[0]
		}
		b.out.Origin.Processes = append(b.out.Origin.Processes, p)
	}
	b.losses()
	h.CPUTime, h.Processors = b.cpuTime(), b.processors()
	h.RecordingCost, h.States = b.recordingCost(), b.states()
	h.Load = b.load()
	if r := head.Root; r >= 0 && r < len(defs.Processes) {
		p := &defs.Processes[r]
		if len(p.Args) > 0 {
			h.Program, h.Args = p.Args[0], p.Args[1:]
		}
		h.CPU, h.Frequency = report.Processor(p.Processor), p.Hertz
		h.Exit, h.Begin, h.Wall = p.Exit, p.Start, b.lives.end[r]-p.Start
		h.Span = slices.Max(b.lives.end) - p.Start
		main := b.lives.main[r]
		h.Asleep = h.Lost == 0 && h.Damaged == 0 && !b.lives.awake[r] && main != NoCauser && b.lives.never[main] != nil
	}
}

// processes returns how many processes there are, and how many recordings of them, 0 if as many. One that began to record again, in another window, has the number and the command line of one before, which did
// not record any more.
func processes(list []trace.Process) (n, recordings int) {
	for i := range list {
		p := &list[i]
		if !slices.ContainsFunc(list[:i], func(x trace.Process) bool {
			return p.PID > 0 && x.PID == p.PID && slices.Equal(x.Args, p.Args) && (x.End <= p.Start || p.End <= x.Start)
		}) {
			n++
		}
	}
	if n < len(list) {
		recordings = len(list)
	}
	return n, recordings
}

// threads says whether locations are threads, which have names, and not goroutines.
func threads(defs *trace.Definitions) bool {
	return slices.ContainsFunc(defs.Locations, func(l trace.Location) bool { return l.Name != "" })
}

// states says whether all processes with events tell what their goroutines did.
func (b *builder) states() bool {
	for i := range b.s.locations {
		if b.s.locations[i].seen && !b.s.defs.Processes[b.s.defs.Locations[i].Process].States {
			return false
		}
	}
	return true
}

// cpuTime returns the processor time that the processes with events used, 0 if that of one is not known.
func (b *builder) cpuTime() (sum int64) {
	seen := make([]bool, len(b.s.defs.Processes))
	for i := range b.s.locations {
		p := b.s.defs.Locations[i].Process
		if !b.s.locations[i].seen || seen[p] {
			continue
		}
		seen[p] = true
		if b.s.defs.Processes[p].CPUTime == 0 {
			return 0
		}
		sum += b.s.defs.Processes[p].CPUTime
	}
	return sum
}

// processors returns how many goroutines of the only process with events could run at once; 0 if that is not known, or if there are
// several: nobody knows how they shared the machine.
func (b *builder) processors() int {
	only := -1
	for i := range b.s.locations {
		p := b.s.defs.Locations[i].Process
		switch {
		case !b.s.locations[i].seen || p == only:
		case only >= 0:
			return 0
		default:
			only = p
		}
	}
	if only < 0 {
		return 0
	}
	return b.s.defs.Processes[only].Processors
}

// recordingCost estimates what recording cost the processes, in ns.
func (b *builder) recordingCost() (sum int64) {
	for i, n := range b.s.defs.EventsOf() {
		sum += b.s.defs.Processes[i].RecordingCost(n)
	}
	return sum
}
