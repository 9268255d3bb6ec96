package gotrace

import (
	"slices"
	"strconv"

	exp "golang.org/x/exp/trace"

	"tracerec/trace/wire"
)

// newTask is the function of the regions that are tasks.
const newTask = "runtime/trace.NewTask"

// region takes the begin or the end of what the program calls a region: a level of the goroutine that begins it.
func (c *converter) region(e *step) {
	r := e.about.(exp.Region)
	if g, s := c.at(e, c.goroutines[e.Goroutine()]); g != nil {
		if until := "region " + r.Type; e.Kind() == exp.EventRegionBegin {
			c.enter(g, operation{r.Type, s.leaf}, until)
		} else {
			c.exit(g, until)
		}
	}
}

// elsewhere is the warning that counts tasks whose end is not where they are taken to end.
const elsewhere = "tasks that were ended outside of the function that began them, and are taken to last as long as that"

// task does the same for tasks. One that another goroutine ends is open for as long as the function that began it, and counted.
func (c *converter) task(e *step) {
	t := e.about.(exp.Task)
	if g, s := c.at(e, c.goroutines[e.Goroutine()]); g != nil {
		until := "task " + strconv.FormatUint(uint64(t.ID), 10)
		switch {
		case e.Kind() == exp.EventTaskBegin:
			c.enter(g, operation{t.Type, place{newTask, s.leaf.file, s.leaf.line}}, until)
			c.tasks[t.ID] = struct{}{}
			return
		case !c.exit(g, until) && c.began(t.ID):
			c.elsewhere++
		}
		delete(c.tasks, t.ID)
	}
}

// began says whether the begin of a task is in the trace, and its end was not yet.
func (c *converter) began(id exp.TaskID) bool {
	_, is := c.tasks[id]
	return is
}

// at returns the goroutine that did an event, with its stack there, where it goes on; nil if either is not known.
func (c *converter) at(e *step, g *goroutine) (*goroutine, *stack) {
	s := c.stack(e.Stack())
	if g == nil || s == nil {
		return nil, nil
	}
	if c.settle(g, s); g.system {
		return nil, nil
	}
	c.loosen(g)
	return g, s
}

// enter opens a level. What goes on in it begins now.
func (c *converter) enter(g *goroutine, what operation, until string) {
	region := c.defined(what)
	c.put(g, c.now, wire.Enter, region)
	g.levels = append(g.levels, frame{region: region, user: until})
}

// exit closes a level, if it is open, and says whether it was.
func (c *converter) exit(g *goroutine, ended string) bool {
	for i := range slices.Backward(g.levels) {
		if g.levels[i].user == ended {
			c.put(g, c.now, wire.Exit, uint32(len(g.levels)-i-1))
			g.levels = g.levels[:i]
			return true
		}
	}
	return false
}
