package otf2

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"tracerec/internal/readable"
	"tracerec/trace"
)

// Counts is how many events of each kind an archive has, by their numbers, and what is wrong with it.
type Counts struct {
	Events   [256]uint64
	Problems []trace.Problem // by file, those found by Open among them
}

func (c *Counts) total() (n uint64) {
	for _, k := range c.Events {
		n += k
	}
	return n
}

// Count reads all events, on all processors. Locations that have another number of events than their definition says are among the problems.
func (a *Archive) Count() *Counts {
	var next atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	all := &Counts{Problems: slices.Clone(a.problems)}
	for range min(runtime.GOMAXPROCS(0), len(a.Locations)) {
		wg.Go(func() {
			r, own := a.NewReader(), Counts{}
			defer r.Close()
			for i := next.Add(1) - 1; i < int64(len(a.Locations)); i = next.Add(1) - 1 {
				own.location(a, r, a.Locations[i])
			}
			mu.Lock()
			defer mu.Unlock()
			for i, n := range own.Events {
				all.Events[i] += n
			}
			all.Problems = append(all.Problems, own.Problems...)
		})
	}
	wg.Wait()
	slices.SortStableFunc(all.Problems, func(p, q trace.Problem) int {
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Offset, q.Offset), cmp.Compare(p.What, q.What))
	})
	return all
}

// location counts the events of a location.
func (c *Counts) location(a *Archive, r *Reader, l *Location) {
	problems := Archive{Name: a.Name}
	chunks, wrong := a.Chunks(l)
	events := uint64(0)
	for _, x := range chunks {
		problems.note(r.Open(x))
		for ; r.Next(); events++ {
			c.Events[r.Event.Spec.ID]++
		}
		problems.note(r.Err())
	}
	if _, defined := a.index[Locations][l.ID]; events != l.Events && defined {
		problems.note(trace.Problem{File: a.file(l, ".evt"), What: fmt.Sprintf("events written: %d, present: %d", l.Events, events)})
	}
	c.Problems = append(append(c.Problems, wrong...), problems.problems...)
}

// Info writes a summary of an archive for people, and returns what is wrong with the archive.
func Info(out io.Writer, a *Archive) ([]trace.Problem, error) {
	w := bufio.NewWriter(out)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-12s%s\n", name, readable.Clean(fmt.Sprintf(format, args...)))
	}
	counts := a.Count()
	row("archive", "%s, OTF2 %s", a.Name, a.Anchor.Version)
	if a.Anchor.Creator != "" {
		row("creator", "%s", a.Anchor.Creator)
	}
	if a.Anchor.Machine != "" {
		row("machine", "%s", a.Anchor.Machine)
	}
	row("span", "%s", readable.Duration(int64(float64(a.Clock.Length)/float64(a.Clock.Resolution)*1e9)))
	row("clock", "%s ticks per second", readable.Grouped(a.Clock.Resolution, 0))
	row("contents", "%s of %s, %s", readable.Plural(counts.total(), "event"), readable.Plural(len(a.Locations), "location"), readable.Plural(len(a.records), "definition"))
	for _, s := range Specs(Global) {
		n := 0
		for i := range a.records {
			if a.records[i].Spec == s {
				n++
			}
		}
		if n > 0 {
			row("  defined", "%12s %s", readable.Grouped(n, 0), s.Name)
		}
	}
	for _, s := range Specs(Events) {
		if n := counts.Events[s.ID]; n > 0 {
			row("  recorded", "%12s %s", readable.Grouped(n, 0), s.Name)
		}
	}
	return counts.Problems, w.Flush()
}

// Check writes what is wrong with an archive; it is an error if anything is.
func Check(w io.Writer, a *Archive) ([]trace.Problem, error) {
	counts := a.Count()
	for _, p := range counts.Problems {
		fmt.Fprintln(w, p)
	}
	if n := len(counts.Problems); n > 0 {
		return nil, fmt.Errorf("%s: %s", a.Name, readable.Plural(n, "problem"))
	}
	_, err := fmt.Fprintf(w, "%s: no problems in %s of %s\n", a.Name, readable.Plural(counts.total(), "event"), readable.Plural(len(a.Locations), "location"))
	return nil, err
}
