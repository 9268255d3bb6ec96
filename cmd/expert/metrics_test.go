package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/table"
)

// foreignReport is a report of another tool.
const foreignReport = "../../report/cube/testdata/pycubexr/time.cubex.gz"

func TestMetrics(t *testing.T) {
	text := run(t, "metrics", foreignReport)
	require.Regexp(t, `(?m)^time +Time +[\d.]+ \w+ +`, text)
	var list struct {
		Metrics []table.MetricLine `json:"metrics"`
	}
	require.NoError(t, json.Unmarshal([]byte(run(t, "metrics", foreignReport, "--format", "json")), &list))
	require.Len(t, strings.Split(strings.TrimSpace(text), "\n"), len(list.Metrics))
	totals := 0
	for _, m := range list.Metrics {
		require.NotEmpty(t, m.Name)
		require.Regexp(t, `^[A-Z_]+$`, m.Kind, m.Name)
		require.Contains(t, text, " "+strings.ToLower(strings.ReplaceAll(m.Kind, "_", " "))+"\n", m.Name)
		require.Equal(t, m.Total == nil, m.Error != "", m.Name)
		if m.Total != nil {
			totals++
		}
	}
	require.Greater(t, totals, 3)
}

func TestMeant(t *testing.T) {
	oneLine(t, []string{"statt", "x"}, `no command "statt"; did you mean stat?`)
	oneLine(t, []string{"nonsense"}, `no command "nonsense"; expert help lists them`)
	missing := filepath.Join(t.TempDir(), "nofile")
	for _, command := range []string{"stat", "analyze", "metrics", "view"} {
		oneLine(t, []string{command, missing}, "there is no such file or directory: "+missing)
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		require.Contains(t, run(t, "completion", shell), "expert")
	}
	status, names, _ := expert("__complete", "stat", foreignReport, "-m", "ti") // which tells on stderr what it did
	require.Zero(t, status)
	require.Contains(t, names, "time\tTime")
}
