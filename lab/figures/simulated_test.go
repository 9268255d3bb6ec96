package main

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/counters/mpx"
	"tracerec/lab/figures/loops"
)

// invented is a simulation of which everything is known: runs with MPX have a tenth more misses, and a rotation for each of its
// processors; values are right, but those of misses 3 % too high, and of the shortest loops there is none of cycles.
func invented(c config) *simulation {
	s := &simulation{config: c, runs: map[ask]outcome{}}
	for _, a := range simulatedAsks(c) {
		o := outcome{ask: a}
		for range a.threads {
			n := int64(100) << a.power
			t := simulatedThread{Truth: []int64{n, n, n, n}}
			if a.mode != off {
				t.Truth[misses], t.Rotations, t.Scheduled = n*11/10, a.cpus, [2]int64{int64(2 * a.cpus), 0}
				for e, truth := range t.Truth {
					v := mpx.Value{Count: truth, Slices: 1, Enough: true}
					if e == misses {
						v.Count = truth * 103 / 100
					}
					if a.power == shortestLoop {
						v.Enough = false
						if e == cycles {
							v = mpx.Value{}
						}
					}
					t.Values = append(t.Values, v)
				}
			}
			o.threads = append(o.threads, t)
		}
		s.runs[a] = o
	}
	return s
}

func TestTablesOfTheSimulator(t *testing.T) {
	c := config{slice: 10 * time.Millisecond, threads: 4, iterations: 19}
	s := invented(c)
	points := s.points(4)
	require.Len(t, points, len(loops.Patterns)*3*4*len(simulatedEvents))
	known, one, five := near(points, (*point).ratio)
	require.Equal(t, []int{len(points) * 11 / 12, len(points) * 8 / 12, len(points) * 11 / 12}, []int{known, one, five})
	_, _, five = near(points, (*point).apart)
	require.Equal(t, len(points)*8/12, five, "13 %% off")

	text := string(s.tables())
	for _, line := range []string{
		"| tiled | 2^17 | 0.99 | – | 1.030* | 1.000* | 1.000* | – | 1.133* | 1.000* | 1.000* |",
		"| random | 2^19 | 3.95 | 1.000 | 1.030 | 1.000 | 1.000 | 1.000 | 1.133 | 1.000 | 1.000 |",
		"| 4 | < 1 | 48 | 100 % | 25 % | 67 % | 100 % | 67 % | 67 % |",
		"| 1 | L1 misses, ≥ 1 | 6 | 0 % | 0 % | 0 % | 100 % | 0 % | 0 % |",
		"| tiled | 64 | 32 KiB | 1ms | 52428800 | +10.0 % | 5242880 | 2.0 | +13.3 % | +10.0 % | 2621440 | 0.0 | +10.0 % | 5242880 |",
		"| untiled | – | 32 KiB |",
	} {
		require.Contains(t, text, line)
	}

	doc := filepath.Join(t.TempDir(), "x.md")
	require.NoError(t, os.WriteFile(doc, []byte(begin+"\nkept\n"+end+"\n"+simulatedBegin+"\nold\n"+simulatedEnd+"\nafter\n"), 0o644))
	require.NoError(t, s.update(doc))
	written, err := os.ReadFile(doc)
	require.NoError(t, err)
	require.Contains(t, string(written), begin+"\nkept\n"+end+"\n"+simulatedBegin+"\n\n"+text+"\n"+simulatedEnd+"\nafter\n")
	for _, name := range []string{"3", "4"} {
		svg, err := os.ReadFile(filepath.Join(filepath.Dir(doc), "multiplexing-simulated-figure"+name+".svg"))
		require.NoError(t, err)
		d, spots := xml.NewDecoder(strings.NewReader(string(svg))), 0
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" {
				spots++
			}
		}
		threads := map[string]int{"3": 1, "4": 4}[name]
		require.Equal(t, len(simulatedEvents)+2*len(s.points(threads))*11/12, spots)
	}
	require.NoError(t, os.WriteFile(doc, []byte("nothing"), 0o644))
	require.ErrorContains(t, s.update(doc), "x.md")
}

func TestRunsAreAskedForOnce(t *testing.T) {
	asks := simulatedAsks(config{slice: 10 * time.Millisecond, threads: 4, iterations: 22})
	seen := map[ask]bool{}
	for i, a := range asks {
		require.False(t, seen[a], "%+v", a)
		seen[a] = true
		require.True(t, i == 0 || a.threads<<a.power <= asks[i-1].threads<<asks[i-1].power)
	}
	for i := range biases {
		for _, a := range biases[i].asks(config{slice: 10 * time.Millisecond, iterations: 22}) {
			require.True(t, seen[a], "%+v", a)
		}
	}
}
