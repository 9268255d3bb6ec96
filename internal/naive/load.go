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
	var vague [parts]bool
	part := func(t int64) int64 { return min(max(0, t-def.Start)/length, parts-1) }
	for i, l := range n.locations {
		switch {
		case len(l.events) == 0:
			continue
		case n.defs.Locations[i].Process != p:
			return // nobody knows how they shared the processors
		}
		for i, s := range l.steps {
			of := s.doing()
			if i > 0 && of == wire.Ready && s.several {
				if before := &l.steps[i-1]; before.to == s.from && before.does == 0 && before.doing() == wire.Running {
					for t := before.from; t < s.to; t++ {
						vague[part(t)] = true
					}
				}
			}
			for t := s.from; t < s.to; t++ {
				switch of {
				case wire.Running:
					running[part(t)]++
				case wire.Ready:
					ready[part(t)]++
				}
			}
		}
	}
	n.result.Load = &Load{}
	for i := 0; i < parts; i++ {
		first := i
		for i+1 < parts && vague[i] && vague[i+1] {
			i++
		}
		long := min(n.ends[p]-def.Start-int64(first)*length, int64(i+1-first)*length)
		ran, waited := int64(0), int64(0)
		for k := first; k <= i; k++ {
			ran, waited = ran+running[k], waited+ready[k]
		}
		n.result.Load.Running += min(ran, max(0, long)*int64(def.Processors))
		if long > 0 && 10*ran >= 8*long*int64(def.Processors) {
			n.result.Load.Busy += long
			n.result.Load.Lacking += waited
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
