package trace

import (
	"cmp"
	"encoding/binary"
	"slices"

	"tracerec/trace/wire"
)

// piece is one raw chunk waiting to be written.
type piece struct {
	location, goid, seq, base uint64
	from, to                  int // its words in the encoder's arena
}

// encoder turns the raw chunks of one process into the columns of chunk frames.
type encoder struct {
	epoch  uint64  // ticks at time 0
	unit   divisor // ticks per unit of time
	limit  int     // events after which a chunk is written
	arena  []uint64
	pieces []piece
	losses [eventLosses]uint64
	empty  map[uint64]run // pieces without events, by location, until there is a run to count them in

	// The chunk being built:
	dir         directory
	index       map[symbol]uint16
	recent      [1 << 10]recentSymbol
	words       []predictor // by symbol
	col         [columns][]byte
	events      int
	first, last int64
	start       int64  // time of the first event of the run before
	now         int64  // time of the last event of the run
	lock        uint64 // word of the last LockBegin
	numbers     numbers
	vector      []uint64 // last counter values
}

// What the encoder cannot store it counts, under these names.
const (
	unreadableWords = iota
	clockBackwards
	eventLosses
)

var lossNames = [eventLosses]string{"unreadable words", "clock went backwards"}

// maxVector bounds the number of values of one Counters event.
const maxVector = 1 << 10

// predictor is the last word of a symbol, which predicts the next.
type predictor struct {
	class    wordClass
	received bool // the events are of receives
	word     uint64
}

// recentSymbol is a slot of the cache in front of encoder.index.
type recentSymbol struct {
	head uint32 // kind and id as in a head word, 0 for none
	sym  uint16
}

// add takes a copy of c.
func (e *encoder) add(c RawChunk) {
	from := len(e.arena)
	e.arena = append(e.arena, c.Words...)
	e.pieces = append(e.pieces, piece{c.Location, c.GoID, c.Seq, c.Base, from, len(e.arena)})
}

// encode calls emit for each chunk that the pieces fill; then there are none left.
func (e *encoder) encode(emit func() error) error {
	slices.SortStableFunc(e.pieces, func(a, b piece) int { return cmp.Compare(a.location, b.location) })
	e.reset()
	var err error
	for i := 0; i < len(e.pieces) && err == nil; {
		p := &e.pieces[i]
		if e.room(p) && e.run(p) {
			i++
		} else {
			err = emit()
			e.reset()
		}
	}
	if e.events > 0 && err == nil {
		err = emit()
	}
	e.pieces, e.arena = e.pieces[:0], e.arena[:0]
	return err
}

// reset begins a new chunk.
func (e *encoder) reset() {
	if e.index == nil {
		e.index = map[symbol]uint16{}
	}
	clear(e.index)
	clear(e.recent[:])
	e.dir.symbols, e.dir.runs, e.words = e.dir.symbols[:0], e.dir.runs[:0], e.words[:0]
	e.dir.maxObject, e.dir.values = 0, 0
	for i := range e.col {
		e.col[i] = e.col[i][:0]
	}
	e.events, e.start, e.lock, e.numbers, e.vector = 0, 0, 0, numbers{}, e.vector[:0]
}

// room says whether the chunk should take p. Pieces are not torn apart if that can be avoided: one that
// is in the archive only in part would be written a second time after a crash.
func (e *encoder) room(p *piece) bool {
	return e.events == 0 || e.events < e.limit && e.events+p.to-p.from <= maxEvents
}

// run encodes the words of p and reports whether all of them fitted into the chunk; if not, p is what is
// left. The words of a measured program may be anything: what cannot be read is counted and ends the piece.
func (e *encoder) run(p *piece) bool {
	r := e.open(p)
	cur := p.base
	for i := p.from; i < p.to && e.arena[i] != 0; {
		kind, id, delta := wire.Unpack(e.arena[i])
		n := wire.WordsOf(kind, id)
		if n < 0 || n >= p.to-i || kind == wire.Counters && n > maxVector {
			e.losses[unreadableWords] += uint64(p.to - i)
			break
		}
		words := e.arena[i+1 : i+1+n]
		if kind == wire.Time {
			cur = words[0]
		} else {
			if !e.fits() {
				p.from, p.base = i, cur
				e.close()
				return false
			}
			cur += delta
			atOnce := wire.TakenAtOnce(kind, words)
			e.put(r, kind, id, cur, words)
			if atOnce {
				e.put(r, wire.Leave, uint32(wire.OK), cur, nil)
			}
		}
		i += 1 + n
	}
	r.pieces++
	e.close()
	return true
}

// open returns the run to which p belongs, a new one if p does not continue the last.
func (e *encoder) open(p *piece) *run {
	if n := len(e.dir.runs); n > 0 {
		if r := &e.dir.runs[n-1]; r.location == p.location && r.seq+r.pieces == p.seq {
			return r
		}
	}
	r := run{location: p.location, goid: p.goid, seq: p.seq & (1<<63 - 1)}
	if before, ok := e.empty[p.location]; ok {
		delete(e.empty, p.location)
		if before.seq+before.pieces == r.seq {
			r.seq, r.pieces = before.seq, before.pieces
		}
	}
	e.dir.runs = append(e.dir.runs, r)
	return &e.dir.runs[len(e.dir.runs)-1]
}

// close takes the last run back if it has no event.
func (e *encoder) close() {
	n := len(e.dir.runs) - 1
	if r := e.dir.runs[n]; r.events == 0 {
		if e.empty == nil {
			e.empty = map[uint64]run{}
		}
		e.empty[r.location] = r
		e.dir.runs = e.dir.runs[:n]
	}
}

// fits says whether the chunk takes one more event, or one that stands for two.
func (e *encoder) fits() bool {
	return e.events < maxEvents-1 && len(e.words) < maxSymbols && len(e.col[valueColumn]) < maxRaw/2
}

// put encodes one event of run r.
func (e *encoder) put(r *run, kind wire.Kind, id uint32, ticks uint64, words []uint64) {
	t := e.unit.floor(int64(ticks - e.epoch))
	t = min(max(t, -maxUnits), maxUnits)
	if r.events == 0 {
		e.putTime(uint64((t-e.start)<<1 ^ (t-e.start)>>63))
		e.start = t
	} else {
		if t < e.now {
			e.losses[clockBackwards]++
			t = e.now
		}
		e.putTime(uint64(t - e.now))
	}
	e.now = t
	if e.events == 0 {
		e.first, e.last = t, t
	}
	e.first, e.last = min(e.first, t), max(e.last, t)
	e.events++
	r.events++
	sym := e.symbol(kind, id)
	if len(e.words) > 256 {
		e.putUpper(byte(sym >> 8))
	}
	e.col[symbolColumn] = append(e.col[symbolColumn], byte(sym))
	e.putWord(&e.words[sym], words)
}

// symbol returns the number of (kind, id) in the chunk's table.
func (e *encoder) symbol(kind wire.Kind, id uint32) uint16 {
	head := uint32(kind) | id<<wire.KindBits
	slot := &e.recent[(head^head>>10^head>>20)%uint32(len(e.recent))]
	if slot.head == head {
		return slot.sym
	}
	s := symbol{kind, id}
	sym, ok := e.index[s]
	if !ok {
		sym = uint16(len(e.words))
		e.index[s] = sym
		e.dir.symbols = append(e.dir.symbols, s)
		e.words = append(e.words, predictor{class: classOf[kind], received: receives(kind, id)})
	}
	*slot = recentSymbol{head, sym}
	return sym
}

// putUpper encodes the upper half of a symbol, which only chunks with many have.
func (e *encoder) putUpper(upper byte) {
	col := e.col[upperColumn]
	col = append(col, make([]byte, len(e.col[symbolColumn])-len(col))...) // 0 so far
	e.col[upperColumn] = append(col, upper)
}

func (e *encoder) putTime(d uint64) {
	var b int
	switch {
	case d < timeBase[128]:
		b = int(d)
	case d < timeBase[192]:
		b = 128 + int((d-timeBase[128])>>8)
	case d < timeBase[240]:
		b = 192 + int((d-timeBase[192])>>16)
	case d < timeBase[247]+1<<24:
		b = 240 + int((d-timeBase[240])>>24)
	default:
		b = 248
	}
	e.col[timeColumn] = append(e.col[timeColumn], byte(b))
	if n := int(timeTail[b]); n > 0 {
		tail := slices.Grow(e.col[tailColumn], 8)
		binary.LittleEndian.PutUint64(tail[len(tail):len(tail)+8], (d-timeBase[b])&timeMask[b])
		e.col[tailColumn] = tail[:len(tail)+n]
	}
}

// putWord encodes what follows the head.
func (e *encoder) putWord(p *predictor, words []uint64) {
	switch p.class {
	case noWord:
	case objectWord:
		e.putObject(words[0], p.word)
		p.word = words[0]
	case lockWord:
		e.putObject(words[0], p.word)
		p.word, e.lock = words[0], words[0]
	case releaseWord:
		e.putObject(words[0], e.lock)
	case channelWord:
		e.putObject(words[0], p.word)
		p.word, e.numbers.at = words[0], placeOf(uint32(words[0]), p.received)
	case choseWord:
		at := placeOf(uint32(words[0]), p.received)
		e.putObject(words[0], wire.ObjectWord(uint32(p.word), e.numbers.next(at)))
		p.word, e.numbers.last[at] = words[0], uint32(words[0]>>32)
	case numberWord:
		n := &e.numbers
		e.col[valueColumn] = binary.AppendVarint(e.col[valueColumn], int64(words[0]-uint64(n.next(n.at))))
		n.last[n.at] = uint32(words[0])
	case valueWord, placeWord, ticksWord:
		e.col[valueColumn] = binary.AppendVarint(e.col[valueColumn], int64(words[0]-p.word))
		p.word = words[0]
	case counterWord:
		for len(e.vector) < len(words) {
			e.vector = append(e.vector, 0)
		}
		for i, v := range words {
			e.col[valueColumn] = binary.AppendVarint(e.col[valueColumn], int64(v-e.vector[i]))
			e.vector[i] = v
		}
		e.dir.values += uint32(len(words))
	}
}

func (e *encoder) putObject(word, predicted uint64) {
	e.dir.maxObject = max(e.dir.maxObject, uint32(word))
	e.col[objectColumn] = binary.AppendVarint(e.col[objectColumn], int64(int32(word-predicted)))
	e.col[extraColumn] = binary.AppendVarint(e.col[extraColumn], int64(int32(word>>32-predicted>>32)))
}
