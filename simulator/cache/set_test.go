package cache

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every parameter of the description can be set by its name, and then is what the description would say.
func TestSet(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        func(m *Machine) any
		is          any
	}{
		{"l1d.size", "64k", func(m *Machine) any { return m.L1D.Size }, uint64(65536)},
		{"l1i.ways", "0", func(m *Machine) any { return m.L1I.Ways }, uint64(0)},
		{"l2.replacement", "fifo", func(m *Machine) any { return m.L2.Replacement }, FIFO},
		{"l3.size", "2M", func(m *Machine) any { return m.L3.Size }, uint64(2 << 20)},
		{"tlb2.line", "2MiB", func(m *Machine) any { return m.TLB2.Line }, uint64(2 << 20)},
		{"l1d.write_through", "true", func(m *Machine) any { return m.L1D.WriteThrough }, true},
		{"shared", "false", func(m *Machine) any { return m.Shared }, false},
		{"predictor.counters", "8k", func(m *Machine) any { return m.Predictor.Counters }, 8192},
		{"predictor.history", "0", func(m *Machine) any { return m.Predictor.History }, uint(0)},
		{"cycles.memory", "150", func(m *Machine) any { return m.Cycles.Memory }, uint64(150)},
		{"cycles.walk", "0", func(m *Machine) any { return m.Cycles.Walk }, uint64(0)},
	} {
		m, err := Named("server")
		require.NoError(t, err)
		before := m.Clone()
		require.NoError(t, m.Set(c.name, c.value))
		require.Equal(t, c.is, c.want(m), c.name)
		require.Equal(t, []string{c.name}, differences(t, before, m))
	}
}

// differences lists the parameters in which two machines differ.
func differences(t *testing.T, a, b *Machine) (list []string) {
	flat := func(m *Machine) map[string]string {
		text, err := json.Marshal(m)
		require.NoError(t, err)
		var parts map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &parts))
		all := map[string]string{}
		for name, part := range parts {
			inner := map[string]any{}
			if json.Unmarshal(part, &inner) != nil {
				all[name] = string(part)
			}
			for k, v := range inner {
				all[name+"."+k] = fmt.Sprint(v)
			}
		}
		return all
	}
	x, y := flat(a), flat(b)
	for name := range x {
		if x[name] != y[name] {
			list = append(list, name)
		}
	}
	for name := range y {
		if _, ok := x[name]; !ok {
			list = append(list, name)
		}
	}
	return list
}

// What cannot be set is an error of one line that names what can.
func TestSetRefuses(t *testing.T) {
	for _, c := range []struct{ machine, name, value, want string }{
		{"bgl", "l4.size", "1k", "l4.size: not a parameter; the parameters are l1i.…, l1d.…, l2.…, l3.…, itlb.…, dtlb.…, tlb2.…, shared, predictor.… and cycles.…"},
		{"bgl", "l1d.sets", "1k", "l1d.sets: not a parameter; the parameters are l1d.size, l1d.line, l1d.ways, l1d.replacement, l1d.no_write_allocate and l1d.write_through"},
		{"bgl", "l1d", "1k", "l1d: not a parameter; the parameters are l1i.…"},
		{"bgl", "", "1k", ": not a parameter; the parameters are l1i.…"},
		{"bgl", "shared.all", "true", "shared.all: not a parameter; the parameters are l1i.…"},
		{"bgl", "title", "x", "title: not a parameter; the parameters are l1i.…"},
		{"bgl", "l3.size", "1k", "l3.size: this machine has no l3"},
		{"bgl", "l1d.size", "big", `l1d.size: "big" is not a number such as 8, 32k or 4M`},
		{"bgl", "l1d.size", "-1", `l1d.size: "-1" is not a number`},
		{"bgl", "l1d.size", "9999999999999999999", "is not a number"},
		{"bgl", "shared", "often", `shared: "often" is neither true nor false`},
	} {
		m, err := Named(c.machine)
		require.NoError(t, err)
		before := m.Clone()
		err = m.Set(c.name, c.value)
		require.ErrorIs(t, err, ErrParameter)
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, err.Error(), "\n")
		require.Equal(t, before, m)
	}
}

// A copy is changed without its original.
func TestClone(t *testing.T) {
	m, err := Named("server")
	require.NoError(t, err)
	c := m.Clone()
	require.Equal(t, m, c)
	require.NoError(t, c.Set("l3.size", "1M"))
	require.NoError(t, c.Set("tlb2.ways", "4"))
	require.EqualValues(t, 32<<20, m.L3.Size)
	require.EqualValues(t, 8, m.TLB2.Ways)
}

// Whatever is set to whatever, it is an error or a machine that is checked as any.
func FuzzSet(f *testing.F) {
	f.Add("l1d.size", "32k")
	f.Add("l3.replacement", "fifo")
	f.Add("predictor.history", "12")
	f.Fuzz(func(t *testing.T, name, value string) {
		m, err := Named("server")
		require.NoError(t, err)
		if err := m.Set(name, value); err != nil {
			require.ErrorIs(t, err, ErrParameter)
			return
		}
		if m.Check() == nil && m.L1I.Size+m.L1D.Size+m.L2.Size+m.L3.Size < 1<<26 {
			_, err := NewHierarchies(m, 1, true)
			require.NoError(t, err)
		}
	})
}

// The parameters of one machine, set one by one, make another machine the same.
func TestParameters(t *testing.T) {
	from, err := Named("server")
	require.NoError(t, err)
	to, err := Named("bgl")
	require.NoError(t, err)
	to.L3, to.TLB2 = new(Geometry), new(Geometry)
	list := from.Parameters()
	require.Contains(t, list, Parameter{"l1d.size", "32K"})
	for _, p := range list {
		require.NoError(t, to.Set(p.Name, p.Value), p.Name)
	}
	to.Title, to.Name = from.Title, from.Name
	require.Equal(t, from, to)

	bgl, err := Named("bgl")
	require.NoError(t, err)
	for _, p := range bgl.Parameters() {
		require.NotContains(t, p.Name, "l3.")
	}
}
