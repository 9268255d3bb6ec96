package random

import (
	"fmt"
	"slices"
	"strings"
)

func (p *program) write(b *strings.Builder) {
	if p.counters {
		fmt.Fprintf(b, "counterset cycles go:heap\n")
	}
	for _, c := range p.channels {
		kind := "channel"
		if c.timer {
			kind = "timer"
		}
		fmt.Fprintf(b, "%s %s cap %d\n", kind, c.name, c.size)
	}
	for _, m := range p.mutexes {
		fmt.Fprintf(b, "mutex %s\n", m.name)
	}
	for _, m := range p.rwlocks {
		fmt.Fprintf(b, "rwmutex %s\n", m.name)
	}
	for _, g := range p.groups {
		fmt.Fprintf(b, "waitgroup %s\n", g.name)
	}
	for _, c := range p.conds {
		fmt.Fprintf(b, "cond %s\n", c.name)
	}
	for _, o := range p.onces {
		fmt.Fprintf(b, "once %s\n", o.name)
	}
	for _, x := range p.barriers {
		fmt.Fprintf(b, "barrier %s %d\n", x.name, x.size)
	}
	for _, s := range p.streams {
		fmt.Fprintf(b, "stream %s\n", s.name)
	}
	fmt.Fprintf(b, "stream %s\n", p.streams[0].interrupted.name)
	if p.end > 0 {
		fmt.Fprintf(b, "exited %d 0\n", p.end)
	}
	if p.untold > 0 {
		fmt.Fprintf(b, "warning \"events lost\" %d\n", p.untold)
	}
	if p.silent {
		fmt.Fprintf(b, "location %s\n", p.prefix+"silent")
	}
	for _, q := range p.procs {
		fmt.Fprintf(b, "location %s\n", q.name)
		if p.counters {
			q.sample()
		}
		if p.states {
			q.tellStates(p)
		}
		for _, l := range q.lines {
			fmt.Fprintf(b, "  %d %s\n", l.at/p.grain*p.grain, l.text)
		}
	}
}

// sample puts the values of counters before the events of regions and waits, of a goroutine that changes threads now and then; mostly
// with a bound of what was counted meanwhile.
func (p *proc) sample() {
	where, cycles, heap := 256, 1000, 500
	var lines []line
	for _, l := range p.lines {
		kind, _, _ := strings.Cut(l.text, " ")
		if slices.Contains([]string{"enter", "exit", "blocked", "leave", "select"}, kind) && p.w.IntN(8) > 0 {
			before := where
			switch p.w.IntN(8) {
			case 0:
				where++
			case 1:
				where += 256
			case 2:
				where = 0
			case 3:
				where = 512
			}
			cycles += p.w.IntN(50)
			heap += p.w.IntN(30) - 10
			text := fmt.Sprintf("counters %d %d %d", where, cycles, heap)
			switch {
			case where != before && p.w.IntN(4) > 0:
				text += fmt.Sprintf(" %d 0", p.w.IntN(100))
			case p.w.IntN(32) == 0:
				text += fmt.Sprintf(" %d 0", ^uint64(0))
			case p.w.IntN(32) == 0:
				text = "counters 0"
			}
			lines = append(lines, line{l.at, text, 0})
		}
		lines = append(lines, l)
	}
	p.lines = lines
}

// tellStates puts states between the events of a goroutine, as a scheduler and as damage may.
func (q *proc) tellStates(p *program) {
	r := p.recording
	lines := []line{}
	for i, l := range q.lines {
		if i > 0 {
			var at []int64
			for range max(0, r.IntN(7)-3) {
				at = append(at, q.lines[i-1].at+r.Int64N(l.at-q.lines[i-1].at+1))
			}
			slices.Sort(at)
			for _, t := range at {
				text := []string{"running", "running on 1", "ready woken", "ready woken by " + p.procs[0].name, "ready preempted",
					"ready preempted by " + p.procs[0].name, "ready yielded", "syscall", "assist", "stopped", "parked"}[r.IntN(11)]
				lines = append(lines, line{t, text, 0})
			}
		} else if !strings.HasPrefix(l.text, "begin") && !strings.HasPrefix(l.text, "lost") {
			lines = append(lines, line{l.at, "running on 0", 0})
		}
		lines = append(lines, l)
	}
	q.lines = lines
}

// damage drops, repeats or moves single events of a stream: what no recorder writes, but a reader may meet.
func (p *program) damage(q *proc) {
	if len(q.lines) < 3 {
		return
	}
	i := p.IntN(len(q.lines))
	l := q.lines[i]
	switch p.IntN(4) {
	case 0:
		q.lines = slices.Insert(q.lines, i, l)
	case 1:
		k := min(i+1+p.IntN(4), len(q.lines)-1)
		l.at = q.lines[k].at
		q.lines = slices.Insert(q.lines, k+1, l)
		q.lines = slices.Delete(q.lines, i, i+1)
	default:
		q.lines = slices.Delete(q.lines, i, i+1)
	}
}
