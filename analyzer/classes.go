package analyzer

import (
	"path"
	"path/filepath"

	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// ObjectName is what a program calls a synchronisation object.
type ObjectName struct {
	Text string // "DB.metalock", "" unknown
	// Unique says that the text means the same wherever the package says it, such as a field of a type, and unlike a local variable.
	Unique bool
}

// classes are the objects that a finding is about: those that the program calls by one unique name, else those that were first
// used at one place and go by one name there, such as the channels for replies that each request makes. An object of which neither is known is a class.
type classes struct {
	of   []uint32 // by object: its class
	list []class  // that of noClass is empty
}

// noClass is the class of what has no object.
const noClass = 0

type class struct {
	kind  wire.ObjectKind
	size  uint64
	site  uint32 // region of the first use of the first object, NoRegion unknown
	name  ObjectName
	count int
}

// isLock says whether objects of the class are held by locations.
func (c *class) isLock() bool { return c.kind == wire.Mutex || c.kind == wire.RWMutex }

// classify divides the objects among classes, in their order.
func (s *scan) classify(name func(*report.Region) ObjectName) *classes {
	type key struct {
		process int
		kind    wire.ObjectKind
		file    string
		line    int
		name    string
	}
	c := &classes{of: make([]uint32, len(s.defs.Objects)), list: make([]class, 1)}
	index, names := map[key]uint32{}, s.objectNames(name)
	for i := range s.defs.Objects {
		o := &s.defs.Objects[i]
		if classless(o.Kind) {
			continue
		}
		x := class{kind: o.Kind, size: o.Size, site: trace.NoRegion, count: 1}
		k := key{process: o.Process, kind: o.Kind}
		if int(o.Region) < len(s.defs.Regions) {
			x.site = s.regions.of[o.Region]
			r := &s.regions.list[x.site]
			x.name = names[x.site]
			k.file, k.line, k.name = r.File, r.Line, x.name.Text
			if x.name.Unique {
				k.file, k.line = path.Dir(filepath.ToSlash(r.File)), 0 // names are those of a package
			}
		}
		known := k.file != "" || k.name != ""
		at, seen := index[k]
		if seen && known {
			c.of[i] = at
			c.list[at].count++
			continue
		}
		c.of[i] = uint32(len(c.list))
		index[k] = c.of[i]
		c.list = append(c.list, x)
	}
	return c
}

// classless says whether objects of a kind are of no class.
func classless(kind wire.ObjectKind) bool {
	switch kind {
	case wire.Stream: // who waits for the network waits for an answer, not for the connection that it comes by
		return true
	case wire.MessagesObject, wire.Group, wire.OrderedLock, wire.WindowLock, wire.Idleness, wire.Device: // what matters is the call
		return true
	case wire.Waits: // it stands for several objects, which others may wait for, too
		return true
	}
	return false
}

// objectNames returns what the sites of objects call them, by region.
func (s *scan) objectNames(name func(*report.Region) ObjectName) map[uint32]ObjectName {
	if name == nil {
		return nil
	}
	names := map[uint32]ObjectName{}
	for i := range s.defs.Objects {
		o := &s.defs.Objects[i]
		if classless(o.Kind) || int(o.Region) >= len(s.defs.Regions) {
			continue
		}
		site := s.regions.of[o.Region]
		if _, known := names[site]; !known {
			r := &s.regions.list[site]
			names[site] = name(&report.Region{Name: r.Name, Func: r.Func, File: r.File, Line: r.Line, Operation: true})
		}
	}
	return names
}
