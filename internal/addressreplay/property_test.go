package addressreplay

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/addresstrace"
	"tracerec/simulator/cache"
)

// reader reads a trace of records.
func reader(t testing.TB, records ...addresstrace.Record) *addresstrace.Reader {
	var b bytes.Buffer
	w, err := addresstrace.NewWriter(&b, addresstrace.Binary)
	require.NoError(t, err)
	for _, r := range records {
		w.Add(r)
	}
	require.NoError(t, w.Close())
	r, err := addresstrace.NewReader(&b)
	require.NoError(t, err)
	return r
}

// geometry returns one of a few sets, of any policy that is replayed.
func geometry(r *rand.Rand, line uint64) cache.Geometry {
	g := cache.Geometry{Line: line, Ways: 1 << r.IntN(4), NoWriteAllocate: r.IntN(3) == 0, WriteThrough: r.IntN(3) == 0,
		Replacement: []cache.Replacement{cache.LRU, cache.LRU, cache.FIFO, cache.Tree}[r.IntN(4)]}
	g.Size = g.Line * g.Ways << r.IntN(4)
	if r.IntN(4) == 0 && g.Replacement != cache.Tree {
		g.Ways = 0
	}
	return g
}

func machine(t testing.TB, r *rand.Rand) *cache.Machine {
	base, err := cache.Named("bgl")
	require.NoError(t, err)
	m := &cache.Machine{L1I: geometry(r, 32), L1D: geometry(r, 32), Cycles: cache.Cycles{Issue: 1000}, L2: geometry(r, 32<<r.IntN(2)), ITLB: geometry(r, 256), DTLB: geometry(r, 256),
		Shared: r.IntN(2) == 0, Predictor: base.Predictor}
	m.ITLB.NoWriteAllocate, m.DTLB.NoWriteAllocate = false, false
	atLeast := func(g *cache.Geometry, inner uint64) { // a level is no smaller than the one before it
		for g.Size < inner {
			g.Size *= 2
		}
	}
	atLeast(&m.L2, max(m.L1I.Size, m.L1D.Size))
	if r.IntN(2) == 0 {
		g := geometry(r, 64)
		atLeast(&g, m.L2.Size)
		m.L3 = &g
	}
	if r.IntN(2) == 0 {
		g := geometry(r, 256)
		atLeast(&g, max(m.ITLB.Size, m.DTLB.Size))
		m.TLB2 = &g
	}
	return m
}

// In every hierarchy, a replay finds what package cache finds.
func TestReplayOfAnything(t *testing.T) {
	t.Parallel()
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 7))
		m := machine(t, r)
		caches, err := cache.NewHierarchies(m, 2, false)
		require.NoError(t, err)
		var all []addresstrace.Record
		var want Misses
		cpu := 0
		for range 3000 {
			address, size := uint64(r.IntN(1<<12))+uint64(r.IntN(2)<<20), uint64(1)<<r.IntN(4)
			switch r.IntN(20) {
			case 0:
				cpu = r.IntN(2)
				all = append(all, addresstrace.Record{Op: addresstrace.CPU, Address: uint64(cpu)})
			case 1, 2, 3, 4, 5:
				address &^= 31
				if n := len(all); n > 0 && all[n-1].Op == addresstrace.Fetch && all[n-1].Address == address {
					continue
				}
				all = append(all, addresstrace.Record{Op: addresstrace.CPU, Address: uint64(cpu)}, addresstrace.Record{Op: addresstrace.Fetch, Size: 4, Address: address})
				want.fetched(caches[cpu].Fetch(address), m)
			default:
				store := r.IntN(3) == 0
				all = append(all, addresstrace.Record{Op: map[bool]addresstrace.Op{false: addresstrace.Read, true: addresstrace.Write}[store], Size: uint8(size), Address: address})
				want.accessed(caches[cpu].Data(address, size, store), store, m)
			}
		}
		got, err := Replay(reader(t, all...), m)
		require.NoError(t, err)
		want.Fetches = got.Fetches
		require.Equal(t, want, got, "seed %d: %+v", seed, m)
	}
}

func (v *Misses) common(o cache.Outcome, m *cache.Machine) {
	if m.TLB2 != nil {
		v.TLB2 += one(o&cache.MissTLB2 != 0)
	}
	v.WriteBacks += one(o&cache.WriteBack1 != 0)
	v.WriteBacks2 += one(o&cache.WriteBack2 != 0)
	v.WriteBacks3 += one(o&cache.WriteBack3 != 0)
}

func (v *Misses) fetched(o cache.Outcome, m *cache.Machine) {
	v.common(o, m)
	v.FetchTLB += one(o&cache.MissTLB != 0)
	v.FetchL1 += one(o&cache.MissL1 != 0)
	v.FetchL2 += one(o&cache.MissL2 != 0)
	v.FetchL3 += one(o&cache.MissL3 != 0)
}

func (v *Misses) accessed(o cache.Outcome, store bool, m *cache.Machine) {
	v.common(o, m)
	v.DataTLB += one(o&cache.MissTLB != 0)
	to := [...]*uint64{&v.Loads, &v.LoadL1, &v.LoadL2, &v.LoadL3}
	if store {
		to = [...]*uint64{&v.Stores, &v.StoreL1, &v.StoreL2, &v.StoreL3}
	}
	for i, yes := range []bool{true, o&cache.MissL1 != 0, o&cache.MissL2 != 0, o&cache.MissL3 != 0} {
		*to[i] += one(yes)
	}
}

// Stacks find in one go what a replay finds for each cache.
func TestStacksOfAnything(t *testing.T) {
	base, err := cache.Named("bgl")
	require.NoError(t, err)
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		var all []addresstrace.Record
		for range 5000 {
			op := addresstrace.Op(r.IntN(int(addresstrace.CPU) + 1))
			address := uint64(r.IntN(1<<10)) * uint64(r.IntN(300))
			if op == addresstrace.CPU {
				address = uint64(r.IntN(2))
			}
			all = append(all, addresstrace.Record{Op: op, Size: 4, Address: address})
		}
		var caches []cache.Geometry
		for ways := range uint64(6) {
			for _, sets := range []uint64{1, 4, 64} {
				caches = append(caches, cache.Geometry{Size: 64 * sets * (ways + 1), Line: 64, Ways: ways + 1, Replacement: cache.LRU})
			}
		}
		data, err := Stacks(reader(t, all...), Data, caches...)
		require.NoError(t, err)
		code, err := Stacks(reader(t, all...), Instructions, caches...)
		require.NoError(t, err)
		for i, g := range caches {
			m := *base
			m.L1I, m.L1D = g, g
			v, err := Replay(reader(t, all...), &m)
			require.NoError(t, err)
			require.Equal(t, v.LoadL1+v.StoreL1, data[i])
			require.Equal(t, v.FetchL1, code[i])
		}
	}
	_, err = Stacks(reader(t), Data, cache.Geometry{Size: 64, Line: 64, Replacement: cache.FIFO})
	require.EqualError(t, err, `replacement "fifo", no write allocate false: stacks are for lru with allocation`)
	m := *base
	m.L2.Replacement = cache.Random
	_, err = Replay(reader(t), &m)
	require.EqualError(t, err, `replacement "random": a replay has other random numbers`)
}
