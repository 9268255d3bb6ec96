package gotrace

import (
	"reflect"
	"unsafe"

	exp "golang.org/x/exp/trace"
)

// recent keeps what the maps of goroutines and of stacks were asked for last. Each event asks them, up to five times, and most of them for what
// others asked them for: this is a third of the time that converting takes.
type recent struct {
	goroutines [recents]*goroutine
	stacks     [recents]struct {
		of exp.Stack
		is *stack
	}
}

const recents = 1 << 12 // power of two

// goroutine returns a goroutine, nil if it is not known.
func (c *converter) goroutine(id exp.GoID) *goroutine {
	at := &c.recent.goroutines[uint64(id)%recents]
	if *at == nil || (*at).id != uint64(id) {
		g := c.goroutines[id]
		if g == nil {
			return nil
		}
		*at = g
	}
	return *at
}

// forget takes a goroutine out that has ended.
func (c *converter) forget(g *goroutine) {
	delete(c.goroutines, exp.GoID(g.id))
	if at := &c.recent.goroutines[g.id%recents]; *at == g {
		*at = nil
	}
}

// stack returns a stack of a goroutine, nil if there is none. Those of a generation are kept.
func (c *converter) stack(s exp.Stack) *stack {
	if s == exp.NoStack {
		return nil
	}
	at := &c.recent.stacks[numberOf(&s)%recents]
	if at.of == s {
		return at.is
	}
	known, ok := c.stacks[s]
	if !ok {
		known = c.newStack(s)
		c.stacks[s] = known
	}
	at.of, at.is = s, known
	return known
}

// nextGeneration forgets the stacks, which have other numbers from now on.
func (c *converter) nextGeneration() {
	clear(c.stacks)
	clear(c.recent.stacks[:])
}

// numbered is where in a stack the reader keeps the number that it has in a generation, if it does.
var numbered = func() uintptr {
	if f, ok := reflect.TypeFor[exp.Stack]().FieldByName("id"); ok && f.Type.Kind() == reflect.Uint64 {
		return f.Offset
	}
	return 0
}()

// numberOf returns a number that few stacks of a generation have in common: any will do, and this one is at hand.
func numberOf(s *exp.Stack) uint {
	return *(*uint)(unsafe.Add(unsafe.Pointer(s), numbered))
}
