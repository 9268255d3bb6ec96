package pmu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/perfevent"
)

// fitNaively tries all ways to give events counters.
func fitNaively(masks []uint64, counters int, taken uint64) bool {
	if len(masks) == 0 {
		return true
	}
	for c := range counters {
		if bit := uint64(1) << c; masks[0]&bit != 0 && taken&bit == 0 && fitNaively(masks[1:], counters, taken|bit) {
			return true
		}
	}
	return false
}

// scheduleNaively is Schedule by its description, over all ways to give out counters.
func scheduleNaively(groups []Group, counters int) []bool {
	on := make([]bool, len(groups))
	for i, g := range groups {
		if len(g.Masks) == 0 {
			on[i] = true
			continue
		}
		all, ok := []uint64{}, true
		for j := range i {
			if len(groups[j].Masks) == 0 {
				continue
			}
			if on[j] {
				all = append(all, groups[j].Masks...)
				ok = ok && !g.Exclusive && !groups[j].Exclusive
			} else if groups[j].Class == g.Class {
				ok = false
			}
		}
		on[i] = ok && fitNaively(append(all, g.Masks...), counters, 0)
	}
	return on
}

// The scheduler does what trying everything does.
func TestSchedule(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	fitted, partly := 0, 0
	for range 20_000 {
		counters := 1 + r.IntN(5)
		var groups []Group
		class := 0
		for range r.IntN(6) {
			class += r.IntN(2)
			g := Group{Class: class, Exclusive: r.IntN(12) == 0}
			for range r.IntN(4) {
				g.Masks = append(g.Masks, r.Uint64N(1<<counters))
			}
			groups = append(groups, g)
			fit := Fit(g.Masks)
			require.Equal(t, fitNaively(g.Masks, counters, 0), fit, "%b on %d", g.Masks, counters)
			if fit {
				fitted++
			} else {
				partly++
			}
		}
		require.Equal(t, scheduleNaively(groups, counters), Schedule(groups), "%+v on %d", groups, counters)
	}
	require.Greater(t, fitted, 1000)
	require.Greater(t, partly, 1000)
}

func TestMask(t *testing.T) {
	p := &PMU{Device: "cpu", Counters: 4, Bits: 48, Rotation: 4e6, Fixed: []string{"A", "B"},
		Limits: []Limit{{[]string{"B", "X?"}, []int{1, 3}}, {[]string{"*"}, []int{0, 1, 2}}}}
	require.NoError(t, p.Check())
	for event, want := range map[string]uint64{"A": 0b010111, "B": 0b101010, "X1": 0b1010, "X12": 0b0111, "C": 0b0111} {
		require.Equal(t, want, p.Mask(event), event)
	}
}

// Every unit that there is can be read, and says what it is.
func TestNamed(t *testing.T) {
	require.Subset(t, Names(), []string{"four", "one", "server"})
	for _, n := range Names() {
		p, err := Named(n)
		require.NoError(t, err)
		require.NotEmpty(t, p.Title)
		require.Equal(t, n, p.Name)
	}
	_, err := Named("none")
	require.EqualError(t, err, `unknown PMU "none": there are four, one and server`)
}

func TestCheck(t *testing.T) {
	const rest = `"device": "cpu", "bits": 48, "rotation": 4000000`
	for text, want := range map[string]string{
		`{`:                                             "line 1: the description ends too early",
		`{"counter": 4}`:                                `line 1: unknown name "counter"; the names are title, device, counters,`,
		`{"counters": 0, ` + rest + `}`:                 "0 counters",
		`{"counters": 65, ` + rest + `}`:                "65 counters",
		`{"counters": -1, ` + rest + `}`:                "-1 counters",
		`{"counters": 1, "bits": 7}`:                    "bits: 7, must be from 8 to 64",
		`{"counters": 1, "bits": 65}`:                   "bits: 65, must be from 8 to 64",
		`{"counters": 1, "bits": 64}`:                   "rotation",
		`{"counters": 1, "bits": 64, "rotation": 1000}`: "device",
		`{"counters": 1, "bits": 64, "rotation": 1000, "device": "../x"}`:               "device",
		`{"counters": 2, ` + rest + `, "limits": [{"events": ["["], "counters": [0]}]}`: "syntax error",
		`{"counters": 2, ` + rest + `, "limits": [{"events": ["A"], "counters": [2]}]}`: "no counter 2",
		`{"counters": 2, ` + rest + `, "limits": [{"events": ["A"], "counters": []}]}`:  "no counters",
		`{"counters": 60, "fixed": ["A","B","C","D","E"], ` + rest + `}`:                "at most 64",
	} {
		_, err := Read(strings.NewReader(text))
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestResolve(t *testing.T) {
	events := []Event{{1, "PAPI_TOT_INS", ""}, {2, "PAPI_L2_TCM", ""}, {9, "PAPI_L1_STM", ""}, {10, "PAPI_L2_LDM", ""}}
	for _, c := range []struct {
		typ    uint32
		config uint64
		want   string
		err    error
	}{
		{perfevent.Hardware, 1, "PAPI_TOT_INS", nil},
		{perfevent.Hardware, 3, "PAPI_L2_TCM", nil},
		{perfevent.Hardware, 0, "", ErrNone},
		{perfevent.Hardware, 6, "", ErrNone},
		{perfevent.Hardware, 10, "", errCode},
		{perfevent.Cache, 0<<0 | 1<<8 | 1<<16, "PAPI_L1_STM", nil},
		{perfevent.Cache, 2 | 1<<16, "PAPI_L2_LDM", nil},
		{perfevent.Cache, 2 | 1<<8, "PAPI_L1_STM", nil},
		{perfevent.Cache, 2 << 8, "", ErrNone},
		{perfevent.Cache, 6, "", ErrNone},
		{perfevent.Cache, 7, "", errCode},
		{perfevent.Cache, 3 << 8, "", errCode},
		{perfevent.Cache, 2 << 16, "", errCode},
		{perfevent.Cache, 1 << 24, "", errCode},
		{perfevent.Raw, 9, "PAPI_L1_STM", nil},
		{perfevent.Raw, 0, "", ErrNone},
		{perfevent.Raw, 3, "", ErrNone},
	} {
		e, err := Resolve(events, c.typ, c.config)
		require.Equal(t, c.err, err, "%+v", c)
		require.Equal(t, c.want, e.Name)
	}
}

// Whatever a description holds, reading it is an error or gives a unit on which masks are counters that exist.
func FuzzRead(f *testing.F) {
	for _, n := range Names() {
		b, _ := machines.ReadFile("machines/" + n + ".json")
		f.Add(string(b))
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		mask := p.Mask("PAPI_TOT_INS")
		if n := p.Counters + len(p.Fixed); mask == 0 || n < 64 && mask>>n != 0 {
			t.Fatalf("%#x of %d counters", mask, n)
		}
	})
}
