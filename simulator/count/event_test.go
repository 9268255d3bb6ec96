//go:build linux

package count

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/simulator/cache"
)

// What cycles are spent on adds up to all of them, on every machine.
func TestCyclesAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range cache.Machines() {
		m, err := cache.Named(name)
		require.NoError(t, err)
		c, err := New(m, Options{})
		require.NoError(t, err)
		for range 100 {
			var v Values
			for i := range v {
				v[i] = r.Uint64N(1000)
			}
			for _, level := range []Counter{LoadMisses, StoreMisses, FetchMisses} { // a level misses no more than the one before
				v[level] += 2000
				v[level+1] += 1000
			}
			value := func(name string) uint64 {
				n, err := c.Value(&v, name)
				require.NoError(t, err)
				return n
			}
			sum := value("SIM_KERNEL_CYC")
			for _, e := range c.Events() {
				if strings.HasPrefix(e.Name, "SIM_CYC_") {
					sum += value(e.Name)
				}
			}
			require.Equal(t, value("PAPI_TOT_CYC"), sum, name)
			require.Equal(t, value("PAPI_TOT_CYC"), value("PAPI_RES_STL")+value("SIM_CYC_ISSUE")+value("SIM_KERNEL_CYC"), name)
		}
		// By hand: 1000 instructions, 10 loads that miss in L1, 4 of them in L2.
		v := Values{Instructions: 1000, LoadMisses: 10, LoadMissesL2: 4}
		n, err := c.Value(&v, "SIM_CYC_L2")
		require.NoError(t, err)
		require.Equal(t, 6*m.Cycles.L2, n)
	}
}
