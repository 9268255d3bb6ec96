package report

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/report/cube"
	"tracerec/report/query"
)

// withRest returns the file of a small experiment in which the member expert.json says something else.
func withRest(t testing.TB, content []byte) *cube.Cube {
	t.Helper()
	c, err := randomExperiment(4, 6).Report("")
	require.NoError(t, err)
	for i, m := range c.Members {
		if m.Name == query.SidecarMember {
			c.Members[i] = cube.MakeMember(query.SidecarMember, content)
		}
	}
	var file bytes.Buffer
	require.NoError(t, c.Write(&file))
	c, err = cube.Read("x.cubex", bytes.NewReader(file.Bytes()), int64(file.Len()))
	require.NoError(t, err)
	return c
}

func restOf(t testing.TB) []byte {
	c, err := randomExperiment(4, 6).Report("")
	require.NoError(t, err)
	b, err := io.ReadAll(c.Members[0].Open())
	require.NoError(t, err)
	return b
}

// requireHarmless accepts an error that names member and offset, or an experiment that can be shown.
func requireHarmless(t *testing.T, c *cube.Cube, content []byte) error {
	t.Helper()
	c.Members[0] = cube.MakeMember(query.SidecarMember, content)
	e, err := Read(c)
	if err != nil {
		var format *cube.FormatError
		require.True(t, errors.As(err, &format), "%v", err)
		require.Equal(t, query.SidecarMember, format.Member)
		require.LessOrEqual(t, format.Offset, int64(len(content)))
		require.GreaterOrEqual(t, format.Offset, int64(0))
		require.NotContains(t, err.Error(), "\n")
		return err
	}
	require.NoError(t, Text(io.Discard, e, TextOptions{Top: 1000}))
	require.NoError(t, JSON(io.Discard, e))
	e.Sentences().Lead()
	_, err = e.Collapse(3)
	require.NoError(t, err)
	return nil
}

// Cut or changed anywhere, the member is refused in one line or read as something that can be shown.
func TestDamagedRest(t *testing.T) {
	whole := restOf(t)
	c := withRest(t, whole)
	require.NoError(t, requireHarmless(t, c, whole))
	cut := 100 / testkit.Cases(100)
	for at := 0; at < len(whole)-2; at += 3 * cut { // the last two are "}\n"
		require.ErrorContains(t, requireHarmless(t, c, whole[:at]), "ends early", "cut at %d", at)
	}
	for at := 0; at < len(whole); at += 7 * cut {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 1 << (at % 7)
		requireHarmless(t, c, damaged)
	}
}

func TestHostileRest(t *testing.T) {
	whole := string(restOf(t))
	c := withRest(t, []byte(whole))
	swap := func(old, new string) []byte {
		require.Contains(t, whole, old)
		return []byte(strings.Replace(whole, old, new, 1))
	}
	for want, content := range map[string][]byte{
		"offset 0: the member ends early":                  nil,
		"3 instead of an object":                           []byte("3"),
		"offset 4: null instead of an object":              []byte("null"),
		"format 99 is not known":                           swap(`"format":2`, `"format":99`),
		"-1 metrics":                                       swap(`"metrics":5`, `"metrics":-1`),
		"1000000000000 metrics":                            swap(`"metrics":5`, `"metrics":1000000000000`),
		"metric 4 of 4":                                    []byte(strings.ReplaceAll(strings.Replace(whole, `"metrics":5`, `"metrics":4`, 1), `"metric":2`, `"metric":4`)),
		"{ instead of a list":                              swap(`"never_ended":`, `"never_ended":{},"x":`),
		"metric -1 of":                                     swap(`"metric":2`, `"metric":-1`),
		"number 999999999990 where something else belongs": swap(`"metric":2,"path":`, `"metric":2,"path":99999999999`),
		"call path 4294967295 of 12":                       swap(`"meanwhile":[{"path":3`, `"meanwhile":[{"path":4294967295`),
		"call path 4294967294 of 12":                       swap(`"onward":[{"path":4`, `"onward":[{"path":4294967294`),
		"group 77 of":                                      swap(`"time":5,"group":0`, `"time":5,"group":77`),
		"metric 5 of 5":                                    swap(`"counted":[{"metric":3`, `"counted":[{"metric":5`),
		"call path 12 of 12":                               swap(`"critical_path_operations":[{"path":2`, `"critical_path_operations":[{"path":12`),
		"group -7 of":                                      swap(`"critical_path_operations":[{"path":2,"group":0`, `"critical_path_operations":[{"path":2,"group":-7`),
		"group 78 of":                                      swap(`"critical_path_operations":[{"path":2,"group":0`, `"critical_path_operations":[{"path":2,"group":78`),
		"metric 9 of 5":                                    swap(`"critical_path_counts":[{"metric":3`, `"critical_path_counts":[{"metric":9`),
		"metric 4 counted less than nothing":               swap(`"at_least":6,"at_most":7`, `"at_least":6,"at_most":5`),
		"location 6 of 6":                                  swap(`"worst":[{"path":1,"location":`, `"worst":[{"path":1,"location":6,"l":`),
		"location -2 of 6":                                 swap(`"causer":-1`, `"causer":-2`),
		"call path -2 of 12":                               swap(`"causer_path":-1`, `"causer_path":-2`),
		"group -2 of":                                      swap(`"causers":[{"group":-1`, `"causers":[{"group":-2`),
		`"groups" is given twice`:                          swap(`"groups":`, `"groups":[],"groups":`),
		"13 critical times of 5 metrics":                   swap(`"on_path":[`, `"on_path":[1,1,1,1,1,1,1,1,`),
		"6 statistics and":                                 swap(`"statistics":[`, `"statistics":[{},`),
		"object where something else belongs":              swap(`"warnings":null`, `"warnings":{}`),
		"call path 99 of 12":                               swap(`"warnings":`, `"starts":[-1,198],"warnings":`),
		"group 0 of 0":                                     swap(`"groups":[`, `"groups":[],"x":[`),
		"2 requests, of which 3 have no name":              swap(`"warnings":`, `"requests":[{"count":2,"unnamed":3}],"warnings":`),
		"requests that cannot be: 5 to 0 ns":               swap(`"warnings":`, `"requests":[{"p50_ns":5}],"warnings":`),
		"2 of a call path of 1":                            swap(`"warnings":`, `"requests":[{"slow":[{"callpath":["a"],"own":1,"causer":{"callpath":["b"],"own":2}}]}],"warnings":`),
		"-1 ns of a latency":                               swap(`"warnings":`, `"requests":[{"parts":[{"mean_ns":-1}]}],"warnings":`),
	} {
		err := requireHarmless(t, c, content)
		require.ErrorContains(t, err, want)
		require.Contains(t, err.Error(), ": expert.json: offset ")
	}
	// What slow requests do is told even if it says nothing.
	require.NoError(t, requireHarmless(t, c, swap(`"warnings":`, `"requests":[{"kind":"http","count":99,"slow":[{"excess_ns":9000000000000000000},{}]}],"warnings":`)))
	// What a later version adds is left out.
	require.NoError(t, requireHarmless(t, c, swap(`"format":2`, `"format":2,"later":{"a":[1,{}]}`)))
	// So is what the first version had.
	require.NoError(t, requireHarmless(t, c, swap(`"format":2`, `"format":1,"totals":[1,2,3,4,5]`)))
}

// A report of expert whose trees were changed by another tool is refused, too.
func TestRestDoesNotFit(t *testing.T) {
	for want, change := range map[string]func(*cube.Cube){
		"metric 1 is POSTDERIVED of INT64": func(c *cube.Cube) { c.AllMetrics()[1].Kind = cube.PostDerived },
		`unit "miles"`:                     func(c *cube.Cube) { c.Metrics[0].Attrs[0].Value = "miles" },
		"region 99 of 12":                  func(c *cube.Cube) { c.Regions[1].ID = 99 },
		"call path 99 of 12":               func(c *cube.Cube) { c.Paths()[1].ID = 99 },
		"location 5: strconv":              func(c *cube.Cube) { c.Locations()[5].Attrs = nil },
		"location 99 of 6":                 func(c *cube.Cube) { c.Locations()[5].ID = 99 },
		"4 of 5 metrics":                   func(c *cube.Cube) { c.Metrics[1].ID = 77 },
	} {
		c, err := randomExperiment(4, 6).Report("")
		require.NoError(t, err)
		change(c)
		_, err = Read(c)
		require.ErrorContains(t, err, want)
	}
}

// A short member does not take much memory, whatever it announces.
func TestRestMemory(t *testing.T) {
	c := withRest(t, restOf(t))
	content := []byte(`{"format":1,"warnings":[` + strings.Repeat(`"",`, 1<<20) + `""],"x":` + strings.Repeat("[", 9000))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.Error(t, requireHarmless(t, c, content))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64*len(content)))
}

func FuzzRest(f *testing.F) {
	whole := restOf(f)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(`{"format":1,"metrics":5,"totals":[0,0,0,0,0],"groups":[{"name":"\u0000\"a\""},{},{},{},{},{}],"warnings":["\u0000x"]}`))
	f.Add([]byte(`{"metrics":0,"totals":[],"findings":[{}]}`))
	f.Add([]byte(`{"metrics":2,"totals":[1,2],"ratios":[{"name":"R","formula":"a / b","operands":[{"name":"a","metric":0},{"name":"b","metric":1,"all":true}]}],` +
		`"properties":[{"title":"T","path":0,"part":5,"of":0,"words":"{share} {thousand} {rate} {byterate}"}],"unlisted_counters":["c"],"notes":["n"]}`))
	c := withRest(f, whole)
	f.Fuzz(func(t *testing.T, content []byte) { requireHarmless(t, c, content) })
}
