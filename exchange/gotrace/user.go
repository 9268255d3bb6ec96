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
		if ends := "region " + r.Type; e.Kind() == exp.EventRegionBegin {
			c.enter(g, operation{r.Type, s.leaf}, &user{ends: ends})
		} else {
			c.exit(g, ends)
		}
	}
}

// user is a level that is open: what the program calls a region or a task.
type user struct {
	ends string     // the event that ends it
	task exp.TaskID // 0 of a region
	over bool       // the task has ended elsewhere
}

// task does the same for tasks. The level of one that ends elsewhere, by another goroutine or when the function that began it has ended, is closed with that function, or when the
// task has ended; and if its goroutine begins another task there, as in a loop.
func (c *converter) task(e *step) {
	t := e.about.(exp.Task)
	g, s := c.at(e, c.goroutines[e.Goroutine()])
	if g == nil {
		return
	}
	u := c.tasks[t.ID]
	switch {
	case e.Kind() == exp.EventTaskBegin:
		u = &user{ends: "task " + strconv.FormatUint(uint64(t.ID), 10), task: t.ID}
		what := operation{t.Type, place{newTask, s.leaf.file, s.leaf.line}}
		c.before(g, c.defined(what), t.Parent)
		c.enter(g, what, u)
		c.tasks[t.ID] = u
		return
	case u != nil && !c.exit(g, u.ends):
		u.over = true
		c.put(g, c.now, wire.TaskEnd, 0, uint64(t.ID))
	}
	delete(c.tasks, t.ID)
}

// before closes the level of a task that was begun at the same place as the next one, and is not that one's parent.
func (c *converter) before(g *goroutine, region uint32, parent exp.TaskID) {
	for i := len(g.levels) - 1; i >= 0 && g.levels[i].user != nil; i-- {
		if u := g.levels[i].user; g.levels[i].region == region && u.task != parent {
			c.close(g, c.now, i, i)
			return
		}
	}
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
func (c *converter) enter(g *goroutine, what operation, u *user) {
	region := c.defined(what)
	c.put(g, c.now, wire.Enter, region)
	g.levels = append(g.levels, frame{region: region, user: u})
}

// exit closes a level, if it is open, and says whether it was.
func (c *converter) exit(g *goroutine, ended string) bool {
	for i := range slices.Backward(g.levels) {
		if u := g.levels[i].user; u != nil && u.ends == ended {
			c.close(g, c.now, i, i+1)
			return true
		}
	}
	return false
}

// close closes all but n levels. Tasks among those from the one with the number left on have not ended there.
func (c *converter) close(g *goroutine, t uint64, n, left int) {
	c.leaves(g, t, left)
	if len(g.levels) > n {
		c.put(g, t, wire.Exit, uint32(len(g.levels)-n-1))
		g.levels = g.levels[:n]
	}
}

// leaves says of the tasks that are open, from the level with a number on, that they do not end there.
func (c *converter) leaves(g *goroutine, t uint64, from int) {
	for i := len(g.levels) - 1; i >= from; i-- {
		if u := g.levels[i].user; u != nil && u.task != 0 {
			c.put(g, t, wire.TaskLeft, uint32(len(g.levels)-i-1), uint64(u.task))
		}
	}
}

// over returns how many levels there are around the outermost task that has ended elsewhere.
func (g *goroutine) over() int {
	n := slices.IndexFunc(g.levels, func(f frame) bool { return f.user != nil && f.user.over })
	if n < 0 {
		return len(g.levels)
	}
	return n
}
