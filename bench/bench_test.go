package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMedian(t *testing.T) {
	for want, values := range map[float64][]float64{3: {3}, 2.5: {4, 1, 2, 3}, 2: {9, 1, 2}} {
		if got := median(values); got != want {
			t.Errorf("median %v, want %v", got, want)
		}
	}
}

func TestEveryProbeRuns(t *testing.T) {
	for name := range probes {
		if err := probe([]string{"-count", "10x", name}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := probe([]string{"none"}); err == nil {
		t.Error("unknown probe runs")
	}
}

func TestGoTraceIsRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace")
	if err := probe([]string{"-count", "100x", "-gotrace", file, "pingpong"}); err != nil {
		t.Fatal(err)
	}
	events, err := countGoTrace(file)
	if err != nil || events < 200 {
		t.Errorf("%d events, error %v", events, err)
	}
	if err := os.Truncate(file, 20); err != nil {
		t.Fatal(err)
	}
	if _, err := countGoTrace(file); err == nil {
		t.Error("cut trace is read without error")
	}
}

// The part size puts a line into the function main of each example.
func TestExamplesCanBeTraced(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		b := &bench{root: root, dir: t.TempDir()}
		if _, err := b.buildTraced(e.name); err != nil {
			t.Error(err)
		}
		var overlay struct{ Replace map[string]string }
		description, err := os.ReadFile(b.path("overlay.json"))
		if err == nil {
			err = json.Unmarshal(description, &overlay)
		}
		if err != nil || len(overlay.Replace) != 2 {
			t.Errorf("overlay %v, error %v", overlay, err)
		}
	}
}

func TestSyntheticArchiveHasTheSizeAskedFor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trace.dir")
	if err := synthesize(dir, 10_000); err != nil {
		t.Fatal(err)
	}
	if err := synthesize(dir, 10_000); err == nil {
		t.Error("an existing archive is overwritten")
	}
}

func TestTableShowsEveryLine(t *testing.T) {
	var tab table
	tab.add(line{"what", "ours", "peer", "ratio", "goal"})
	var out strings.Builder
	if err := tab.print(&out); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"what", "ours", "peer", "ratio", "goal"} {
		if !strings.Contains(out.String(), s) {
			t.Errorf("%q is missing in\n%s", s, &out)
		}
	}
}
