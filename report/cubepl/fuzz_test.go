package cubepl

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever is parsed has a normal form that parses to the same program, and evaluates to the same value or error,
// in bounded time.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"1 + 2 * 3 ^ -4 / |5|", "not (1 < 2) and \"a\\\"b\" seq \"A\" or \"x\" =~ /^a\\/(b|c){0,1}$/", "max(metric::time(i), arg1)",
		"metric::call::place(${i}[2], i, 1e3, *) - metric::fixed::place() + metric::context::visits(e, i)",
		"{ global(a); local(b); while (${a}[${b}] < 3) { ${a} = ${a} + 1; }; return sizeof(a) + defined(b); }",
		"{ if (true) { ${x} = \"y\"; } elseif (false xor 1) { ${x}[1] = 2; } else { ${x} = cube::metric::get::time(\"u\"); } return 1; }",
		"{ cube::metric::prederived::n(e) << { return 1; } >>; cube::metric::plus::n << arg1 + arg2 >>; return 0; }",
		"{ cube::metric::set::time(\"value\", \"VOID\"); }", "random(1) + env(\"HOME\") // why",
	} {
		f.Add(s)
	}
	spec, err := os.ReadFile("testdata/remapping.spec")
	require.NoError(f, err)
	list, _ := expressions(string(spec))
	for _, x := range list[:20] {
		f.Add(x.text)
	}
	f.Fuzz(func(t *testing.T, source string) {
		p, err := Parse(source)
		if err != nil {
			var at *Error
			require.ErrorAs(t, err, &at)
			require.True(t, at.Offset >= 0 && at.Offset <= len(source), "%v of %d", at, len(source))
			return
		}
		again, err := Parse(p.String())
		if err != nil && strings.Contains(err.Error(), "expression ") {
			return // a limit, which parentheses and blanks may pass
		}
		require.NoError(t, err, p)
		require.Equal(t, p.String(), again.String())
		value := func(p *Program) (float64, string) {
			e := p.Bind(NewContext(newFlat(), NewGlobals()))
			x, err := e.evaluate(1<<16, [2]Value{Number(3), Number(5)})
			var at *Error
			if errors.As(err, &at) {
				return x, at.Err.Error()
			}
			return x, ""
		}
		x, failed := value(p)
		y, failed2 := value(again)
		if long := "evaluation takes too long"; failed == long || failed2 == long {
			return // programs cost as much as they are long
		}
		require.Equal(t, failed, failed2, p)
		require.True(t, x == y || x != x && y != y, "%g or %g: %s", x, y, p)
	})
}
