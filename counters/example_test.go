package counters_test

import (
	"fmt"
	"log"
	"os"
	"runtime"

	"tracerec/counters"
	"tracerec/internal/scripted"
)

// The high level: events that the calling goroutine counts from here to there.
func Example() {
	jobs := uint64(0)
	unregister, err := counters.Register(counters.Event{Name: "jobs"}, func() uint64 { return jobs })
	if err != nil {
		log.Fatal(err)
	}
	defer unregister()
	c, err := counters.Start("user:jobs", "go:gc-forced")
	if err != nil {
		log.Fatal(err)
	}
	jobs += 12
	runtime.GC()
	values, err := c.Stop()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values[0], "jobs,", values[1], "collections")
	// Output: 12 jobs, 1 collections
}

// A set with more events than there are counters: they take turns, and every value tells how far it can be trusted.
func ExampleEventSet_Quality() {
	sub := scripted.New(scripted.Config{Counters: 2, Turn: 1e6, Events: []scripted.Event{
		{Name: "loads", Rate: func(from, to int64) uint64 { return uint64(to*to/1e9 - from*from/1e9) }},
		{Name: "stores", Rate: func(from, to int64) uint64 { return uint64(to/200 - from/200) }},
		{Name: "branches", Rate: func(from, to int64) uint64 { return uint64(to/100 - from/100) }},
	}})
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := counters.New(sub)
	fmt.Println(s.AddAll("loads", "stores", "branches"))
	s.SetOptions(counters.Options{Multiplex: true})
	s.AddAll("loads", "stores", "branches")
	s.Start()
	values := make([]int64, 3)
	for range 6 { // a timer reads as well: how much rates vary tells the error
		sub.Advance(5e6)
		s.Read(values)
	}
	s.Stop(values)
	quality, _ := s.Quality()
	for i, name := range s.Names() {
		fmt.Printf("%-8s %7d ± %.0f, counted %.0f %% of the time\n", name, values[i], quality[i].Error, 100*quality[i].Share)
	}
	s.Close()
	// Output:
	// loads,stores,branches: out of counters: there are 2
	// loads     900000 ± 135330, counted 67 % of the time
	// stores    150000 ± 0, counted 67 % of the time
	// branches  300000 ± 0, counted 67 % of the time
}

// A profile of where a program causes page faults, for go tool pprof -lines.
func ExampleEventSet_Profile() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	s := counters.New()
	defer s.Close()
	if err := s.Add("page-faults"); err != nil {
		log.Print(err) // says what can be done
		return
	}
	h, err := s.Profile("page-faults", 10, counters.ProfileOptions{})
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Start(); err != nil {
		log.Fatal(err)
	}
	memory := make([]byte, 64<<20)
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1
	}
	if err := s.Stop(nil); err != nil {
		log.Fatal(err)
	}
	f, err := os.CreateTemp("", "faults-*.pb.gz")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(f.Name())
	if err := h.WritePprof(f); err != nil {
		log.Fatal(err)
	}
}
