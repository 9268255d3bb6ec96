package web

import (
	"bytes"
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
	"tracerec/report/cube"
)

// What those did who were waited for is the same on the page as in the text: as many lines with the same shares.
func TestMeanwhileAsInTheText(t *testing.T) {
	c, err := cube.Open("ui/e2e/testdata/waits.cubex.gz")
	require.NoError(t, err)
	defer c.Close()
	e, err := report.Read(c)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, report.Text(&text, e, report.TextOptions{Top: 100}))
	var want, got []string
	_, rest, found := bytes.Cut(text.Bytes(), []byte("\nFindings"))
	require.True(t, found)
	for _, m := range regexp.MustCompile(`(?m)^ {6}(?:meanwhile| {9}) +([0-9.]+)`).FindAllSubmatch(rest, -1) {
		want = append(want, string(m[1]))
	}
	a, err := ask("ui/e2e/testdata/waits.cubex.gz")
	require.NoError(t, err)
	a.Experiment = e
	f := &findings{}
	a.ours(f)
	waiting := 0
	for _, x := range f.Findings {
		for _, d := range x.Meanwhile {
			got = append(got, fmt.Sprintf("%.1f", 100*d.Share))
			if regexp.MustCompile("^waiting for ").MatchString(d.What) {
				waiting++
			}
		}
	}
	require.NotZero(t, waiting, "some of them waited themselves")
	require.Equal(t, want, got)
}
