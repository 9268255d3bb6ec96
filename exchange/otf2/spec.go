package otf2

import (
	"fmt"
	"strings"
	"sync"
)

// Family is a kind of files whose records have a numbering of their own.
type Family uint8

// The families of records.
const (
	Global  Family = iota // NAME.def
	Local                 // NAME/N.def
	Events                // NAME/N.evt
	Markers               // NAME.marker
)

// Frame is how a record says how long it is.
type Frame uint8

// The frames.
const (
	Long  Frame = iota // a byte of length, or 255 and 8 bytes; readers skip what they do not know at the end
	Short              // one compressed number, which says its length itself
	Empty              // a zero byte
)

// Type is how a field is stored.
type Type uint8

// The types of fields.
const (
	Byte   Type = iota
	Full        // 8 bytes
	Float       // 8 bytes, IEEE 754
	Number      // compressed: a byte of length, then so many bytes. 255 stands for all ones in as many bits as Bits says
	Signed      // the same, two's complement
	Text        // bytes and a zero
	Value       // of an attribute or property: how it is stored says the byte before it
	Map         // an IdMap: how many numbers, its mode, the numbers
)

// Refers is what a number refers to: a kind of definitions. The first ones are those for which there are mapping tables, in the order of their numbers there.
type Refers uint8

// The kinds of definitions to which numbers refer.
const (
	Nothing Refers = iota
	Strings
	Attributes
	Locations
	Regions
	Groups
	MetricClasses
	Comms
	Parameters
	RmaWins
	SourceCodeLocations
	CallingContexts
	InterruptGenerators
	IoFiles
	IoHandles
	LocationGroups

	SystemTreeNodes
	Callpaths
	MetricMembers
	CartDimensions
	CartTopologies
	Paradigms
	IoParadigms
	MarkerKinds
	refers

	lastMapped = LocationGroups
)

// Field is one field of a record.
type Field struct {
	Name   string
	Type   Type
	Bits   uint8    // of a Number or Signed: 32 or 64
	Refers Refers   // what it is the number of, if it is one
	Words  []string // names of the values of an enumeration, nil if it is none
	Flags  bool     // each bit has one of the words
}

// Missing is the value of the field in files that are older than it: no reference, and else 0.
func (f *Field) Missing() uint64 {
	if f.Refers != Nothing {
		return f.undefined()
	}
	return 0
}

// undefined is the value that says that there is none.
func (f *Field) undefined() uint64 {
	switch {
	case f.Type == Byte:
		return 1<<8 - 1
	case f.Bits == 32:
		return 1<<32 - 1
	}
	return 1<<64 - 1
}

// Spec describes one kind of records. The values of a record are those of Head, the last of which is their number if there is Each, those of Each as
// often as that says, and those of Tail.
type Spec struct {
	Family Family
	ID     uint8
	Name   string // as in OTF2's own interface: MpiSend
	Frame  Frame
	Head   []Field
	Each   []Field
	Tail   []Field
	Self   Refers // a definition: of what kind it is; its own number is its first value

	translate bool // it refers to something, by numbers that may be local
}

// Records below this number are no records, but structure.
const (
	endOfChunk    = 0
	endOfBuffer   = 1
	endOfFile     = 2
	chunkHeader   = 3
	timestamp     = 5 // of events only
	attributeList = 6 // of events only
)

// Numbers of records that are looked at.
const (
	idBufferFlush      = 10
	idMeasurementOnOff = 11
	idEnter            = 12
	idLeave            = 13

	idMpiSend             = 14
	idMpiIsend            = 15
	idMpiIsendComplete    = 16
	idMpiIrecvRequest     = 17
	idMpiRecv             = 18
	idMpiIrecv            = 19
	idMpiRequestCancelled = 21
	idMpiCollectiveBegin  = 22
	idMpiCollectiveEnd    = 23
	idRmaCollectiveEnd    = 38
	idRmaGroupSync        = 39
	idRmaRequestLock      = 40
	idRmaReleaseLock      = 43
	idRmaPut              = 46
	idRmaGet              = 47
	idRmaAtomic           = 48
	idRmaOpBlocking       = 49
	idRmaOpNonBlocking    = 50

	idOmpAcquireLock       = 26
	idOmpReleaseLock       = 27
	idMetric               = 31
	idParameterString      = 32
	idParameterUnsignedInt = 34

	idThreadFork         = 53
	idThreadJoin         = 54
	idThreadTeamBegin    = 55
	idThreadTeamEnd      = 56
	idThreadAcquireLock  = 57
	idThreadReleaseLock  = 58
	idThreadTaskSwitch   = 60
	idThreadTaskComplete = 61
	idThreadCreate       = 62
	idThreadBegin        = 63
	idThreadEnd          = 65

	idProgramBegin = 83
	idProgramEnd   = 84

	idNonBlockingRequest  = 85
	idNonBlockingComplete = 86
)

// types are the types of fields by their names in the table.
var types = map[string]Field{
	"byte": {Type: Byte}, "full": {Type: Full}, "float": {Type: Float}, "text": {Type: Text}, "value": {Type: Value}, "map": {Type: Map},
	"n32": {Type: Number, Bits: 32}, "n64": {Type: Number, Bits: 64}, "i64": {Type: Signed, Bits: 64},
	"paradigm": {Type: Byte, Refers: Paradigms}, "ioparadigm": {Type: Byte, Refers: IoParadigms},
	"location": {Type: Number, Bits: 64, Refers: Locations},
}

// references are the other types, numbers of 32 bits that refer to a definition.
var references = map[string]Refers{
	"string": Strings, "attribute": Attributes, "region": Regions, "group": Groups, "metric": MetricClasses, "comm": Comms, "parameter": Parameters,
	"win": RmaWins, "source": SourceCodeLocations, "context": CallingContexts, "interrupt": InterruptGenerators, "file": IoFiles, "handle": IoHandles,
	"locationgroup": LocationGroups, "node": SystemTreeNodes, "callpath": Callpaths, "member": MetricMembers, "dimension": CartDimensions,
	"topology": CartTopologies, "marker": MarkerKinds,
}

// row is a row of the table: fields are "name:type", those in brackets are repeated. The first one of a definition, "!type", is its own
// number. A type in upper case is an enumeration, stored as a byte, or a set of flags, stored as a number.
type row struct {
	id     uint8
	name   string
	frame  Frame
	fields string
}

// specs returns the tables by family and number. They are made when first used: most processes never do.
var specs = sync.OnceValue(func() *[4][256]*Spec {
	var t [4][256]*Spec
	for family, rows := range map[Family][]row{Global: append(globalRows, definitionRows...), Local: append(localRows, definitionRows...),
		Events: eventRows, Markers: markerRows} {
		for _, r := range rows {
			t[family][r.id] = r.spec(family)
		}
	}
	return &t
})

// SpecOf returns the description of a kind of records, nil if it is not known.
func SpecOf(family Family, id uint8) *Spec { return specs()[family][id] }

// Specs returns the descriptions of all kinds of records of a family.
func Specs(family Family) (all []*Spec) {
	for _, s := range specs()[family] {
		if s != nil {
			all = append(all, s)
		}
	}
	return all
}

// specNamed returns a kind of records by its name.
func specNamed(family Family, name string) *Spec {
	for _, s := range Specs(family) {
		if s.Name == name {
			return s
		}
	}
	panic(name) // a mistake of the caller
}

func (r row) spec(family Family) *Spec {
	s := &Spec{Family: family, ID: r.id, Name: r.name, Frame: r.frame}
	to := &s.Head
	for _, word := range strings.Fields(r.fields) {
		switch word {
		case "[":
			to = &s.Each
		case "]":
			to = &s.Tail
		default:
			if kind, self := strings.CutPrefix(word, "!"); self {
				word = "self:" + kind
				s.Self = parseField(word).Refers
			}
			f := parseField(word)
			*to = append(*to, f)
			s.translate = s.translate || f.Refers != Nothing && f.Refers <= lastMapped
		}
	}
	return s
}

func parseField(text string) Field {
	name, kind, _ := strings.Cut(text, ":")
	f, ok := types[kind]
	if to := references[kind]; to != Nothing {
		f, ok = Field{Type: Number, Bits: 32, Refers: to}, true
	}
	if words, found := enumerations()[kind]; found {
		f, ok = Field{Type: Byte, Words: words}, true
	}
	if words, found := flags()[kind]; found {
		f, ok = Field{Type: Number, Bits: 32, Words: words, Flags: true}, true
	}
	if f.Refers == Paradigms {
		f.Words = enumerations()["Paradigm"] // for those that are not defined
	}
	if !ok {
		panic(fmt.Sprintf("field %s has no type", text)) // a mistake in the table
	}
	f.Name = name
	return f
}

// index returns where a value stands in the values of a record, negative if it is counted from their end.
func (s *Spec) index(name string) int {
	at := 0
	for i := range s.Head {
		if s.Head[i].Name == name {
			return at
		}
		if s.Head[i].Type != Text {
			at++
		}
	}
	for i := range s.Tail {
		if s.Tail[i].Name == name {
			return i - len(s.Tail)
		}
	}
	panic(s.Name + " has no field " + name) // a mistake of the caller
}
