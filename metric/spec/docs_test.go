package spec

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The documentation names all statements and all that is shipped, and its examples can be read.
func TestDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../docs/specification.md")
	require.NoError(t, err)
	doc := string(text)
	for k := range keywords {
		require.Contains(t, doc, k)
	}
	for _, name := range Shipped() {
		require.Contains(t, doc, "`"+name+"`")
	}
	blocks := strings.Split(doc, "```\n")
	s := parse(t, blocks[1])
	require.Equal(t, "CYCLES 100\n  BUSY 70 inferred\n  STALL 30\nLOADS 50\n  HIT 45\n  MISS 5\n",
		tree(s, "cpu-cycles=100 stalled-cycles-backend=30 L1-dcache-loads=50 L1-dcache-load-misses=5"))
	_, err = Load("power4", write(t, "own.spec", blocks[5]))
	require.NoError(t, err)
}
