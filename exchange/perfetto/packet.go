package perfetto

import (
	"bufio"
	"io"

	"github.com/klauspost/compress/gzip"

	"tracerec/internal/protobuf"
)

// Field numbers of the format, by message.
const (
	tracePacket = 1 // Trace

	packetClocks     = 6 // TracePacket
	packetTimestamp  = 8
	packetSequence   = 10
	packetEvent      = 11
	packetInterned   = 12
	packetFlags      = 13
	packetDescriptor = 60

	clockList, clockID, clockTime = 1, 1, 2 // ClockSnapshot, Clock

	trackUUID, trackName, trackProcess, trackThread, trackParent, trackCounter = 1, 2, 3, 4, 5, 8 // TrackDescriptor
	processPID, processCommand, processName                                    = 1, 2, 6          // ProcessDescriptor
	threadPID, threadTID, threadName                                           = 1, 2, 5          // ThreadDescriptor
	counterUnit, counterUnitName                                               = 3, 6             // CounterDescriptor

	eventCategory, eventAnnotation, eventType, eventName, eventTrack, eventValue = 3, 4, 9, 10, 11, 30 // TrackEvent
	eventSource, eventFlows, eventEnds                                           = 34, 47, 48

	annotationUint, annotationString, annotationName = 3, 6, 10 // DebugAnnotation

	internedCategory, internedName, internedSource = 1, 2, 4 // InternedData
	internedID, internedText                       = 1, 2    // EventCategory, EventName
	sourceID, sourceFile, sourceFunction, source   = 1, 2, 3, 4
)

// Values of enumerations.
const (
	clockRealtime, clockBoottime = 1, 6

	flagCleared, flagNeeds = 1, 2

	sliceBegin, sliceEnd, instant, counterValue = 1, 2, 3, 4

	unitTime, unitCount, unitBytes = 1, 2, 3
)

// sequence is the number of the packet sequence, of which there is one.
const sequence = 1

// event is a packet about something that happened on a track.
type event struct {
	kind        uint64
	track       uint64
	name        uint64 // interned, 0 none
	category    uint64 // interned, 0 none
	source      uint64 // interned, 0 none
	causer      string // of a wait
	notes       []note
	flows, ends []uint64
	value       int64 // of a counter
}

// note is a number that belongs to a slice.
type note struct {
	name  string
	value uint64
}

// packets writes packets. Errors are kept and come at the end.
type packets struct {
	out      *bufio.Writer
	zipped   *gzip.Writer // what it writes to
	packet   []byte
	message  []byte
	inner    []byte
	interned []byte            // entries that the next packet brings
	names    map[string]uint64 // interned names of events
}

func newPackets(w io.Writer) *packets {
	zipped, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
	return &packets{out: bufio.NewWriterSize(zipped, 1<<16), zipped: zipped, names: map[string]uint64{}}
}

// intern returns the number of a name.
func (p *packets) intern(name string) uint64 {
	id, known := p.names[name]
	if !known {
		id = uint64(len(p.names) + 1)
		p.names[name] = id
		p.entry(internedName, protobuf.String(protobuf.Uint(p.inner[:0], internedID, id), internedText, name))
	}
	return id
}

// entry adds an entry of interned data.
func (p *packets) entry(field int, message []byte) {
	p.inner = message
	p.interned = protobuf.Bytes(p.interned, field, message)
}

// event writes a packet.
func (p *packets) event(t int64, e *event) {
	m := protobuf.Uint(p.message[:0], eventType, e.kind)
	m = protobuf.Uint(m, eventTrack, e.track)
	if e.category != 0 {
		m = protobuf.Uint(m, eventCategory, e.category)
	}
	if e.name != 0 {
		m = protobuf.Uint(m, eventName, e.name)
	}
	if e.source != 0 {
		m = protobuf.Uint(m, eventSource, e.source)
	}
	if e.causer != "" {
		p.inner = protobuf.String(p.inner[:0], annotationName, "caused by")
		p.inner = protobuf.String(p.inner, annotationString, e.causer)
		m = protobuf.Bytes(m, eventAnnotation, p.inner)
	}
	for _, n := range e.notes {
		p.inner = protobuf.String(p.inner[:0], annotationName, n.name)
		p.inner = protobuf.Uint(p.inner, annotationUint, n.value)
		m = protobuf.Bytes(m, eventAnnotation, p.inner)
	}
	if e.kind == counterValue {
		m = protobuf.Int(m, eventValue, e.value)
	}
	for _, id := range e.flows {
		m = protobuf.Fixed64(m, eventFlows, id)
	}
	for _, id := range e.ends {
		m = protobuf.Fixed64(m, eventEnds, id)
	}
	p.message = m
	p.write(uint64(t), packetEvent)
}

// write writes a packet of which p.message is the content.
func (p *packets) write(t uint64, field int) {
	b := protobuf.Uint(p.packet[:0], packetTimestamp, t)
	b = protobuf.Uint(b, packetSequence, sequence)
	b = protobuf.Uint(b, packetFlags, flagNeeds)
	if len(p.interned) > 0 {
		b = protobuf.Bytes(b, packetInterned, p.interned)
		p.interned = p.interned[:0]
	}
	b = protobuf.Bytes(b, field, p.message)
	p.put(b)
}

// put writes the bytes of a packet.
func (p *packets) put(b []byte) {
	p.packet = b
	p.inner = protobuf.Bytes(p.inner[:0], tracePacket, b)
	p.out.Write(p.inner)
}

// start writes the first packet: times count from the start of the experiment, which was at that time, ns since 1970.
func (p *packets) start(wall int64) {
	clock := func(id uint64, t int64) []byte {
		return protobuf.Int(protobuf.Uint(nil, clockID, id), clockTime, t)
	}
	m := protobuf.Bytes(nil, clockList, clock(clockBoottime, 0))
	if wall > 0 {
		m = protobuf.Bytes(m, clockList, clock(clockRealtime, wall))
	}
	b := protobuf.Uint(nil, packetTimestamp, 0)
	b = protobuf.Uint(b, packetSequence, sequence)
	b = protobuf.Uint(b, packetFlags, flagCleared)
	p.put(protobuf.Bytes(b, packetClocks, m))
}
