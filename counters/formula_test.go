package counters

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFormula(t *testing.T) {
	counts := []int64{7, 100, 40, 3}
	at := []int{1, 2, 3, 0} // N0=100 N1=40 N2=3 N3=7
	for text, want := range map[string]int64{
		"N0": 100, "N0 + N1": 140, "N0-N1": 60, "N1 - N0": -60, "N0 - N1 - N2": 57, "N0 - (N1 - N2)": 63,
		"N0+N1*2": 180, "(N0+N1)*2": 280, "N0 - (N1 + (N2*5))": 45, "N0 * N3 / 10": 70, "N0 / (N2 - 3)": 0, "  N3  ": 7,
	} {
		f, err := parseFormula(text, 4)
		require.NoError(t, err, text)
		require.Equal(t, want, f.value(counts, at), text)
	}
	for _, text := range []string{"", "N", "N4", "N0 +", "(N0", "N0)", "N0 N1", "x", "-N0", "99999999999999999999", strings.Repeat("(", 200)} {
		_, err := parseFormula(text, 4)
		require.Error(t, err, text)
	}
}

// The value of a random formula is that of the same formula in reverse Polish notation on a stack, the way PAPI writes it.
func TestFormulaAgreesWithStack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	counts := []int64{5, -3, 12, 1 << 40}
	at := []int{0, 1, 2, 3}
	var build func(depth int) (infix string, postfix []string)
	build = func(depth int) (string, []string) {
		if depth == 0 || r.IntN(4) == 0 {
			leaf := "N" + strconv.Itoa(r.IntN(4))
			if r.IntN(3) == 0 {
				leaf = strconv.Itoa(r.IntN(9))
			}
			return leaf, []string{leaf}
		}
		a, pa := build(depth - 1)
		b, pb := build(depth - 1)
		op := string("+-*/"[r.IntN(4)])
		return "(" + a + op + b + ")", append(append(pa, pb...), op)
	}
	for range 500 {
		infix, postfix := build(4)
		f, err := parseFormula(infix, 4)
		require.NoError(t, err, infix)
		require.Equal(t, onStack(postfix, counts), f.value(counts, at), infix)
	}
}

func onStack(postfix []string, counts []int64) int64 {
	var stack []int64
	for _, w := range postfix {
		if n, err := strconv.ParseInt(w, 10, 64); err == nil {
			stack = append(stack, n)
			continue
		}
		if w[0] == 'N' {
			stack = append(stack, counts[w[1]-'0'])
			continue
		}
		a, b := stack[len(stack)-2], stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		v := &stack[len(stack)-1]
		switch {
		case w == "+":
			*v = a + b
		case w == "-":
			*v = a - b
		case w == "*":
			*v = a * b
		case b == 0:
			*v = 0
		default:
			*v = a / b
		}
	}
	return stack[0]
}

func FuzzFormula(f *testing.F) {
	for _, s := range []string{"N0", "N0 + N1", "N0 - (N1 + (N2 * 5))", "((((", "N0|N1|+"} {
		f.Add(s)
	}
	counts, at := []int64{3, 4, 5}, []int{0, 1, 2}
	f.Fuzz(func(t *testing.T, text string) {
		if e, err := parseFormula(text, 3); err == nil {
			e.value(counts, at) // must not panic
		}
	})
}
