package cache

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMachines(t *testing.T) {
	require.Equal(t, []string{"bgl", "server"}, Machines())
	for _, name := range Machines() {
		m, err := Named(name)
		require.NoError(t, err)
		require.Equal(t, name, m.Name)
		require.NotEmpty(t, m.Title)
	}
	_, err := Named("cray")
	require.EqualError(t, err, `unknown machine "cray": there are bgl and server`)
}

// The caches are those that the paper gives: its section 4.1.
func TestBlueGene(t *testing.T) {
	m, err := Named("bgl")
	require.NoError(t, err)
	require.EqualValues(t, 32<<10, m.L1D.Size)
	require.EqualValues(t, 32, m.L1D.Line)
	require.EqualValues(t, 4<<20, m.L2.Size)
	require.EqualValues(t, 128, m.L2.Line)
	require.EqualValues(t, 64*4096, m.DTLB.Size)
	require.EqualValues(t, 4096, m.DTLB.Line)
	require.Zero(t, m.DTLB.Ways)
}

// One pass over 64 KiB: every line misses once in each cache, every page in the TLB.
func TestPass(t *testing.T) {
	m, err := Named("bgl")
	require.NoError(t, err)
	all, err := NewHierarchies(m, 1, true)
	require.NoError(t, err)
	var l1, l2, tlb, back, again int
	for pass := range 2 {
		for a := uint64(0); a < 64<<10; a += 8 {
			o := all[0].Data(1<<20+a, 8, true)
			switch {
			case pass == 1:
				again += int(o & MissL1)
				require.Zero(t, o&(MissL2|MissTLB), "they hold all of it")
				if o&MissL1 != 0 {
					require.Equal(t, Capacity, o.KindL1())
				}
			case o&MissL1 != 0:
				l1++
				require.Equal(t, Cold, o.KindL1())
				fallthrough
			default:
				l2 += int(o & MissL2 / MissL2)
				tlb += int(o & MissTLB / MissTLB)
				back += int(o & WriteBack1 / WriteBack1)
			}
		}
	}
	require.Equal(t, 64<<10/32, l1)
	require.Equal(t, 64<<10/32, again, "it is twice the first cache")
	require.Equal(t, 64<<10/128, l2)
	require.Equal(t, 16, tlb)
	require.Equal(t, 32<<10/32, back, "half of it had to leave")
}

// An access to two lines misses when one of them does.
func TestAcrossLines(t *testing.T) {
	m, err := Named("bgl")
	require.NoError(t, err)
	all, err := NewHierarchies(m, 1, false)
	require.NoError(t, err)
	h := all[0]
	require.Equal(t, MissL1|MissL2|MissL3|MissTLB|MissTLB2, h.Data(4096, 8, false))
	require.Zero(t, h.Data(4096+24, 8, false))
	require.Equal(t, MissL1, h.Data(4096+28, 8, false), "the second line of 32 bytes, the same of 128")
	require.Equal(t, MissL1|MissL2|MissL3|MissTLB|MissTLB2, h.Data(8192-4, 8, true), "the end of the page and the next")
	require.Equal(t, MissL1|MissL2|MissL3|MissTLB|MissTLB2, h.Fetch(4096*9))
	require.Equal(t, MissL1|MissTLB|MissTLB2, h.Data(4096*9, 4, false), "the second cache holds instructions and data")
}

// plainHierarchy does the same with caches by definition.
type plainHierarchy struct{ l1, l2, l3, tlb, tlb2 *plain }

func (p *plainHierarchy) data(address uint64, store bool) (o Outcome) {
	if !p.tlb.access(address/p.tlb.g.Line, false).Hit {
		o |= MissTLB
		if !p.tlb2.access(address/p.tlb2.g.Line, false).Hit {
			o |= MissTLB2
		}
	}
	levels := []*plain{p.l1, p.l2, p.l3}
	misses, backs := []Outcome{MissL1, MissL2, MissL3}, []Outcome{WriteBack1, WriteBack2, WriteBack3}
	var at func(level int, address uint64, store bool) Outcome
	at = func(level int, address uint64, store bool) (o Outcome) {
		if level == len(levels) {
			return 0
		}
		c := levels[level]
		r := c.access(address/c.g.Line, store)
		if r.Hit {
			if store && c.g.WriteThrough {
				at(level+1, address, true)
			}
			return 0
		}
		o = misses[level]
		if r.WrittenBack {
			o |= backs[level] | at(level+1, r.Victim*c.g.Line, true)&(WriteBack2|WriteBack3)
		}
		return o | at(level+1, address, store && (c.g.NoWriteAllocate || c.g.WriteThrough))
	}
	return o | at(0, address, store)
}

func TestHierarchyAgainstDefinition(t *testing.T) {
	tiny := Machine{Cycles: Cycles{Issue: 1000},
		L1I: Geometry{Size: 256, Line: 16, Ways: 2, Replacement: LRU}, L1D: Geometry{Size: 256, Line: 16, Ways: 2, Replacement: LRU},
		L2: Geometry{Size: 1024, Line: 32, Ways: 4, Replacement: FIFO}, L3: &Geometry{Size: 4096, Line: 64, Ways: 4, Replacement: LRU},
		ITLB: Geometry{Size: 512, Line: 128, Replacement: LRU}, DTLB: Geometry{Size: 512, Line: 128, Replacement: LRU},
		TLB2: &Geometry{Size: 2048, Line: 128, Ways: 2, Replacement: LRU}, Predictor: Prediction{Counters: 2, Targets: 1, Returns: 1},
	}
	for _, policy := range []string{"back", "through", "around"} {
		m := tiny
		m.L1D.WriteThrough, m.L1D.NoWriteAllocate = policy == "through", policy == "around"
		all, err := NewHierarchies(&m, 1, false)
		require.NoError(t, err)
		make1 := func(g Geometry) *plain { return &plain{g: g, sets: map[uint64][]plainLine{}} }
		p := &plainHierarchy{make1(m.L1D), make1(m.L2), make1(*m.L3), make1(m.DTLB), make1(*m.TLB2)}
		r := rand.New(rand.NewPCG(7, 8))
		seen := map[Outcome]bool{}
		for range 30_000 {
			address, store := r.Uint64N(1+r.Uint64N(10_000)), r.IntN(3) == 0
			got := all[0].Data(address, 1, store)
			require.Equal(t, p.data(address, store), got, policy)
			seen[got] = true
		}
		require.Greater(t, len(seen), 5)
	}
}

func TestPredictor(t *testing.T) {
	p, err := NewPredictor(Prediction{Counters: 64, Targets: 4, Returns: 2})
	require.NoError(t, err)
	var right []bool
	for _, taken := range []bool{true, true, true, false, true, false, false, false} {
		right = append(right, p.Branch(0x100, taken))
	}
	require.Equal(t, []bool{false, true, true, false, true, false, false, true}, right, "two bits, by hand: 1 2 3 3 2 3 2 1 0")

	require.False(t, p.Indirect(8, 100))
	require.True(t, p.Indirect(8, 100))
	require.False(t, p.Indirect(8, 200))
	require.False(t, p.Indirect(16, 100), "the same place: 8 and 16 differ by four halves")
	require.False(t, p.Indirect(8, 200))

	p.Call(10)
	p.Call(20)
	p.Call(30) // 10 is lost
	require.True(t, p.Return(30))
	require.True(t, p.Return(20))
	require.False(t, p.Return(10))
}

// Counters of two bits by their definition.
func TestBranchAgainstDefinition(t *testing.T) {
	const size, history = 16, 3
	p, err := NewPredictor(Prediction{Counters: size, History: history, Targets: 1, Returns: 1})
	require.NoError(t, err)
	var counters [size]int // from -2, strongly not taken, to 1
	for i := range counters {
		counters[i] = -1
	}
	past := uint64(0)
	r := rand.New(rand.NewPCG(4, 5))
	for range 5000 {
		pc, taken := 2*r.Uint64N(40), r.IntN(3) == 0
		counter := &counters[(pc/2^past%(1<<history))%size]
		require.Equal(t, (*counter >= 0) == taken, p.Branch(pc, taken))
		past *= 2
		if taken {
			past++
			*counter = min(1, *counter+1)
		} else {
			*counter = max(-2, *counter-1)
		}
	}
}

// Of a branch that goes every other way, history makes a certainty.
func TestHistory(t *testing.T) {
	wrong := func(history uint) (n int) {
		p, err := NewPredictor(Prediction{Counters: 1024, History: history, Targets: 1, Returns: 1})
		require.NoError(t, err)
		for i := range 1000 {
			if !p.Branch(0x40, i%2 == 0) {
				n++
			}
		}
		return n
	}
	require.GreaterOrEqual(t, wrong(0), 500)
	require.Less(t, wrong(8), 20)
}

func TestMachinesRefused(t *testing.T) {
	good, err := machines.ReadFile("machines/bgl.json")
	require.NoError(t, err)
	for old, c := range map[string]struct{ new, want string }{
		`"title"`:                  {`"titel"`, `line 2: unknown name "titel"; the names are title, l1i, `},
		`"line": 128`:              {`"line": 16`, "l2: lines of 16 bytes"},
		`"ways": 64`:               {`"ways": 63`, "l1i: 32768 bytes do not make sets"},
		`"issue": 1000`:            {`"issue": 0`, "cycles: issue is 0"},
		`"counters": 2048`:         {`"counters": 2000`, "predictor: counters: 2000, must be a power of two"},
		`"returns": 4`:             {`"returns": 0`, "predictor: returns: 0, must be from 1 to 65536"},
		`"replacement": "lru"`:     {`"replacement": "opt"`, `replacement "opt"`},
		`"history": 0`:             {`"history": 60`, "history: 60 bits, must be at most 24"},
		`"targets": 16`:            {`"targets": 3`, "targets: 3, must be a power of two"},
		"\"title\": \"a core of B": {"\"title\": 7, \"", "line 2: title: not a text"},
		`"size": "4M"`:             {`"size": "16k"`, "l2: 16384 bytes, must be at least the 32768 of l1"},
		`"l3": null`:               {`"l3": {"size": "1M", "line": 128}`, "l3: 1048576 bytes, must be at least the 4194304 of l2"},
		`"tlb2": null`:             {`"tlb2": {"size": "64k"}`, "tlb2: covers 65536 bytes, must cover at least the 262144 of dtlb and itlb"},
	} {
		bad := strings.Replace(string(good), old, c.new, 1)
		require.NotEqual(t, string(good), bad)
		_, err := Read(strings.NewReader(bad))
		require.ErrorContains(t, err, c.want, old)
	}
	for ways, want := range map[uint64]string{12: `replacement "tree" needs a power of two of ways, not 12`, 64: `replacement "tree" has at most 32 ways, not 64`} {
		_, err := newLevel(Geometry{Size: ways << 12, Line: 64, Ways: ways, Replacement: Tree}, false)
		require.EqualError(t, err, want)
	}
}

// A description that is shipped is a template: it says everything, and read again it is the machine. What others leave out is as usual.
func TestRead(t *testing.T) {
	for _, name := range Machines() {
		text, err := Text(name)
		require.NoError(t, err)
		want, err := Named(name)
		require.NoError(t, err)
		m, err := Read(bytes.NewReader(text))
		require.NoError(t, err)
		m.Name = name
		require.Equal(t, want, m)
	}
	m, err := Read(strings.NewReader(`{"l1d": {"size": "64k", "ways": "16"}, "l3": null, "cycles": {"memory": 300}}`))
	require.NoError(t, err)
	want, err := Named(usual)
	require.NoError(t, err)
	want.Name, want.Title, want.L1D.Size, want.L1D.Ways, want.L3, want.Cycles.Memory = "", "", 64<<10, 16, nil, 300
	require.Equal(t, want, m)
	_, err = Text("none-such")
	require.EqualError(t, err, `unknown machine "none-such": there are bgl and server`)
}

// Whatever a description says, reading it is an error or makes a machine that works.
func FuzzRead(f *testing.F) {
	for _, name := range Machines() {
		content, _ := machines.ReadFile("machines/" + name + ".json")
		f.Add(content)
	}
	f.Add([]byte(`{"l3": {}}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		m, err := Read(strings.NewReader(string(content)))
		if err != nil || m.L1D.Size+m.L1I.Size+m.L2.Size > 1<<24 || m.L3 != nil && m.L3.Size > 1<<24 ||
			m.ITLB.Size/m.ITLB.Line+m.DTLB.Size/m.DTLB.Line > 1<<16 || m.TLB2 != nil && m.TLB2.Size/m.TLB2.Line > 1<<16 {
			return
		}
		all, err := NewHierarchies(m, 2, true)
		require.NoError(t, err)
		for i, h := range all {
			require.NotZero(t, h.Data(uint64(i)<<20, 4, true)&MissL1)
			h.Fetch(1 << 22)
		}
	})
}
