package cube

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever is in a file, it is refused with an error, or read, written, and read again as the same.
func FuzzRead(f *testing.F) {
	for _, rows := range []string{oneToFour, compressedRows(f, oneToFour[10:18], oneToFour[18:])} {
		f.Add(cubexOf(f, bothRows, rows))
	}
	f.Add(cubexOf(f, head+"\x03", oneToFour+strings.Repeat("\x00", 8)))
	f.Add([]byte(gzipped(f, string(cubexOf(f, secondRow, oneToFour[:18])))))
	f.Add([]byte(gzipped(f, strings.Repeat("\x00", 2*fileGrant))))
	f.Add(tarOf(f, file{"anchor.xml", gzipped(f, `<cube version="4.4">`+strings.Repeat(" ", 4*anchorGrant))}))
	f.Add(cubexOf(f, head+"\x01\xff\xff\xff\xff", oneToFour))
	f.Add(cubexOf(f, bothRows, compressedMagic+strings.Repeat("\xff", 60)))
	old, err := os.ReadFile(filepath.Join("testdata", "cubelib", "version40.cubex.gz"))
	require.NoError(f, err)
	f.Add(old)
	f.Fuzz(func(t *testing.T, b []byte) { requireStable(t, b) })
}

// The same for the trees alone, which FuzzRead hardly gets at.
func FuzzTrees(f *testing.F) {
	f.Add(simple)
	f.Add(strings.Replace(simple, "</cube>", `<severity><matrix metricId="0"><row cnodeId="1">1 -2</row></matrix></severity></cube>`, 1))
	f.Add(`<cube version="3.0"><attr key="a" value=b/><doc><mirrors><murl>&x;</murl></mirrors></doc><metrics title="&"><metric id="3" viztype=GHOST>` +
		`<dtype>FLOAT</dtype><cubeplaggr cubeplaggrtype=plus>a &lt; b</cubeplaggr></metric></metrics><system><machine Id="0"><node Id="0">` +
		`<process Id="0"><thread Id="4"/></process></node></machine><topologies><cart ndims="1"><dim size="2" periodic="true"/>` +
		`<coord nodeId="0">1</coord><coord machId="0">0</coord></cart></topologies></system></cube>`)
	f.Fuzz(func(t *testing.T, s string) {
		requireStable(t, []byte(s))
		requireStable(t, tarOf(t, file{"0.index", head + "\x03"}, file{"0.data", "CUBEX.DATA"}, file{"anchor.xml", s}))
	})
}

func requireStable(t *testing.T, b []byte) {
	c, err := Read("x.cubex", bytes.NewReader(b), int64(len(b)))
	if err != nil || c.Load() != nil {
		return
	}
	var first, second bytes.Buffer
	require.NoError(t, c.Write(&first))
	again := requireRead(t, first.Bytes())
	require.NoError(t, again.Load())
	require.NoError(t, again.Write(&second))
	require.True(t, bytes.Equal(first.Bytes(), second.Bytes()), "%q\n%q", first.String(), second.String())
}
