package web

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
	"tracerec/report/cube"
)

// scout opens a report of Scalasca, from the reports beside the project.
func scout(t *testing.T) *Report {
	file := filepath.Join("..", "..", "..", "shared", "data", "oracle", "npb-btmzS_4x2", "scout.cubex")
	if _, err := os.Stat(file); err != nil {
		t.Skip("the reports of other tools are not beside the project: ", err)
	}
	c, err := cube.Open(file)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	r, err := NewReport(file, c, nil)
	require.NoError(t, err)
	require.Empty(t, r.Problems)
	return r
}

func TestFindingsOfScalasca(t *testing.T) {
	f := answerOf(t, start(t, scout(t)), "findings")
	require.Contains(t, told(t, f["lead"]), "8 threads together spent 1.58")
	first := f["findings"].([]any)[0].(map[string]any)
	require.Equal(t, "mpi_latesender", first["metric"])
	require.NotEmpty(t, first["text"])
	require.Equal(t, "0.05818897329669198", told(t, first["severity"]))
	sum := 0.0
	for _, w := range first["waiters"].([]any) {
		v, err := w.(map[string]any)["severity"].(json.Number).Float64()
		require.NoError(t, err)
		sum += v
	}
	require.InEpsilon(t, 0.05818897329669198, sum, 1e-12, "those who waited did so as long as the finding says")
	require.NotEmpty(t, f["efficiency"])
}

func TestHTMLOfScalasca(t *testing.T) {
	if testing.Short() {
		t.Skip("all answers to all questions about a large report")
	}
	r := scout(t)
	var out bytes.Buffer
	began := time.Now()
	require.NoError(t, WriteHTML(&out, r))
	t.Logf("%d kB in %v", out.Len()/1000, time.Since(began))
	table := embeddedIn(t, out.String())
	require.Greater(t, len(table), 1000)
}

// Every report there is answers every question, or says in one line what is wrong with it.
func TestAllReports(t *testing.T) {
	shown, refused := 0, 0
	for _, file := range testkit.Reports(t, "cube", "oracle") {
		a, err := ask(file)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			require.Contains(t, err.Error(), filepath.Base(file))
			refused++
			continue
		}
		shown++
		for _, question := range []string{"meta", "findings", "calls?metric=0&self=1", "flat?metric=0&self=0", "system?metric=0&self=0&path=0&incl=1", "stats?metric=0"} {
			name, query, _ := strings.Cut(question, "?")
			values, err := url.ParseQuery(query)
			require.NoError(t, err)
			answer, err := a.answer(name, values)
			if query != "" && (len(a.model.Metrics) == 0 || len(a.paths) == 0) {
				continue
			}
			require.NoError(t, err, "%s: %s", file, question)
			require.True(t, json.Valid(answer), "%s: %s", file, question)
		}
		a.Model.Cube.Close()
	}
	t.Logf("%d reports shown, %d refused", shown, refused)
	require.Greater(t, shown, 10)
}

func ask(file string) (*api, error) {
	c, err := cube.Open(file)
	if err != nil {
		return nil, err
	}
	r, err := NewReport(file, c, nil)
	if err != nil {
		return nil, err
	}
	return newAPI(r)
}
