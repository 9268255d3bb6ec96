package naive

import (
	"math/bits"

	"tracerec/trace/wire"
)

// Load is how long goroutines ran, how long the processors were busy, and how long goroutines were ready meanwhile, ns.
type Load struct{ Running, Busy, Lacking int64 }

// load looks at every ns of every location, and adds up by parts of the time of the process.
func (n *analysis) load() {
	p := n.pathProcess()
	if p < 0 || !n.defs.Processes[p].States || n.defs.Processes[p].Processors == 0 {
		return
	}
	const parts = 1024
	def := &n.defs.Processes[p]
	length := int64(1) << bits.Len64(uint64(def.End-def.Start)/parts)
	var running, ready [parts]int64
	for i, l := range n.locations {
		switch {
		case len(l.events) == 0:
			continue
		case n.defs.Locations[i].Process != p:
			return // nobody knows how they shared the processors
		}
		for _, s := range l.steps {
			of := s.doing()
			for t := s.from; t < s.to; t++ {
				part := min(max(0, t-def.Start)/length, parts-1)
				switch of {
				case wire.Running:
					running[part]++
				case wire.Ready:
					ready[part]++
				}
			}
		}
	}
	n.result.Load = &Load{}
	for i := range running {
		long := min(n.ends[p]-def.Start-int64(i)*length, length)
		n.result.Load.Running += running[i]
		if long > 0 && 10*running[i] >= 8*long*int64(def.Processors) {
			n.result.Load.Busy += long
			n.result.Load.Lacking += ready[i]
		}
	}
}

// doing is Running if a location ran in a step, Ready if it was ready to run and had not given up its processor, None if neither or if that is not known.
func (s *step) doing() wire.Kind {
	switch {
	case s.metric == eventsLost:
		return wire.None
	case s.metric == "start_latency", s.metric != "overhead" && (s.does == wire.Ready && !s.gaveUp || s.does == wire.Stopped):
		return wire.Ready
	case s.metric == "overhead", s.gaveUp, s.does == wire.Syscall, s.does == wire.Parked, s.does == 0 && s.metric == "sleep",
		s.does == 0 && s.op != nil && s.op.blocked >= 0 && s.from >= s.op.blocked:
		return wire.None
	}
	return wire.Running
}
