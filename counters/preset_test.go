package counters

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/counters/events"
)

// Every preset of every processor that is known has a formula that can be computed.
func TestFormulasOfAllProcessors(t *testing.T) {
	presets, derived := 0, 0
	for _, name := range events.Names() {
		table, err := events.Named(name)
		require.NoError(t, err)
		for _, p := range table.Presets() {
			require.NotEmpty(t, p.Natives, "%s: %s", table.Name, p.Name)
			presets++
			formula := p.Formula
			if formula == "" {
				formula = "N0"
			}
			f, err := parseFormula(formula, len(p.Natives))
			require.NoError(t, err, "%s: %s", table.Name, p.Name)
			uses := map[int64]bool{}
			f.natives(uses)
			require.Len(t, uses, len(p.Natives), "%s: %s: %q uses every native", table.Name, p.Name, p.Formula)
			if len(p.Natives) > 1 {
				derived++
			}
		}
	}
	require.Greater(t, presets, 200)
	require.Greater(t, derived, 20)
}

// natives notes the natives that a formula uses.
func (f *formula) natives(in map[int64]bool) {
	if f == nil {
		return
	}
	if f.op == 'N' {
		in[f.number] = true
	}
	f.left.natives(in)
	f.right.natives(in)
}

func TestPresetsByName(t *testing.T) {
	all := Presets()
	require.GreaterOrEqual(t, len(all), 110)
	for i, p := range all {
		require.NotEmpty(t, p.Description, p.Name)
		if i > 0 {
			require.Less(t, all[i-1].Name, p.Name)
		}
		again, err := DescribePreset(p.Name)
		require.Equal(t, p, again)
		if len(p.Natives) == 0 {
			require.ErrorIs(t, err, ErrNoPreset)
		} else {
			require.NoError(t, err)
		}
	}
	_, err := DescribePreset("PAPI_NO_SUCH")
	require.ErrorIs(t, err, ErrUnknownEvent)
	p, err := describePreset(Substrates(), "PAPI_TOT_CYC:u")
	if err == nil {
		for _, n := range p.Natives {
			require.Regexp(t, ":u$", n)
		}
	}
}
