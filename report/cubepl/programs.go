package cubepl

import "sync"

// parsed are programs of this process: reports that are used together have most expressions in common.
var parsed programs

// maxPrograms is how many bytes of expressions they may have together: several times those of the longest hierarchy in use.
const maxPrograms = 1 << 18

// programs has programs by their source. Any number of goroutines may use it.
type programs struct {
	sync.Mutex
	bySource map[string]*Program
	size     int // of the sources
}

func (c *programs) get(source string) *Program {
	c.Lock()
	defer c.Unlock()
	return c.bySource[source]
}

// put adds a program. If there is no room, all others are forgotten.
func (c *programs) put(source string, p *Program) {
	c.Lock()
	defer c.Unlock()
	if len(source) > maxPrograms || c.bySource[source] != nil {
		return
	}
	if c.bySource == nil || c.size+len(source) > maxPrograms {
		c.bySource, c.size = map[string]*Program{}, 0
	}
	c.bySource[source] = p
	c.size += len(source)
}
