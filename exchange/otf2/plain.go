package otf2

import (
	"strings"

	"tracerec/trace/wire"
)

// Most events enter and leave functions of the program, of which nothing else is to be known.

// isPlain says whether a class is one of such regions.
func (c *class) isPlain() bool {
	return !strings.HasPrefix(c.name, "mpi") && c.name != launchClass && !c.calls && !c.task && !c.queues &&
		c.ends == wire.NoMeeting && c.meets == wire.NoMeeting && c.epoch == noEpoch && c.flushes == 0 && c.waits == 0
}

// plainly applies an event that enters such a region in another one, or leaves it, and says which of the two it does, None if it is no such event.
func (s *source) plainly(e *Event, w *walk) (does wire.Kind, region uint32) {
	id, n := e.Spec.ID, len(w.stack)
	if id != idEnter && id != idLeave || n == 0 {
		return wire.None, noRegion
	}
	region = s.region(e.Values[0])
	top := &w.stack[n-1]
	if int(region) >= len(s.passing.classes) || !s.passing.classes[region].plain || top.work || top.segment > 0 {
		return wire.None, noRegion
	}
	if id == idEnter {
		w.push(step{region: region})
		return wire.Enter, region
	}
	if top.hidden || top.beyond > 0 || w.accesses || len(w.accessed) > 0 {
		return wire.None, noRegion
	}
	if n > 1 {
		if around := &w.stack[n-2]; around.segment > 0 || !around.work && s.barrier(around.region) {
			return wire.None, noRegion
		}
	}
	w.stack = w.stack[:n-1]
	return wire.Exit, region
}
