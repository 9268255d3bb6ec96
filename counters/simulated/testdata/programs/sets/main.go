// Sets counts with event sets on the simulator, and prints what is not as it must be.
package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"tracerec/counters"
)

//go:noinline
func roots(n int) float64 {
	x := 2.0
	for range n {
		x = math.Sqrt(x + 1)
	}
	return x
}

func check(what string, ok bool, more ...any) {
	if !ok {
		fmt.Println(append([]any{"wrong:", what}, more...)...)
	}
}

// wanderers count their own work while they change threads.
func wanderers() {
	var group sync.WaitGroup
	pass := make(chan int)
	for i := range 6 {
		group.Go(func() {
			s := counters.New()
			check("adding", s.AddAll("PAPI_FSQ_INS", "PAPI_TOT_INS", "sim:PAPI_LD_INS") == nil)
			check("starting", s.Start() == nil)
			for part := range 20 {
				roots(10 + i)
				runtime.Gosched()
				if i%2 == 0 {
					pass <- part
				} else {
					<-pass
				}
			}
			v := make([]int64, 3)
			check("stopping", s.Stop(v) == nil)
			check("roots", v[0] == int64(20*(10+i)), i, v)
			check("certain", s.Certain(), i)
			check("instructions", v[1] > v[0]+v[2] && v[2] > 0, v)
			check("closing", s.Close() == nil)
		})
	}
	group.Wait()
}

// kernel counts the modelled cycles of calls apart.
func kernel() {
	s := counters.New()
	check("adding", s.AddAll("PAPI_TOT_CYC:k", "PAPI_TOT_CYC:u", "PAPI_TOT_CYC", "sim:SIM_SYSCALL") == nil)
	v, w := make([]int64, 4), make([]int64, 4)
	check("starting", s.Start() == nil)
	roots(100)
	check("reading", s.Read(v) == nil)
	yield(7)
	check("stopping", s.Stop(w) == nil)
	check("no calls", v[0] == 0 && v[3] == 0, v)
	check("calls", w[3] == 7 && w[0] == 7*300, w)
	check("sum", w[2] == w[0]+w[1] && v[1] >= 100*30, v, w)
	check("closing", s.Close() == nil)
}

func refusals() {
	for name, want := range map[string]error{
		"sim:NOPE":          counters.ErrUnknownEvent,
		"sim:BGL_INST:x":    counters.ErrUnknownEvent,
		"sim:BGL_FLOPS:k":   counters.ErrUnavailable,
		"PAPI_FSQ_INS:k":    counters.ErrUnavailable,
		"PAPI_PRF_DM":       counters.ErrNoPreset,
		"PAPI_NO_SUCH":      counters.ErrUnknownEvent,
		"sim:PAPI_FSQ_INS:": counters.ErrUnknownEvent,
	} {
		s := counters.New()
		err := s.Add(name)
		check("refusal", errors.Is(err, want), name, err)
		check("closing", s.Close() == nil)
	}
	for _, o := range []counters.Options{{CPU: 1}, {Inherit: true}} {
		s := counters.New()
		check("adding", s.Add("PAPI_FSQ_INS") == nil)
		err := s.SetOptions(o)
		check("options", errors.Is(err, counters.ErrUnsupported), o, err)
		check("closing", s.Close() == nil)
	}
}

func main() {
	wanderers()
	kernel()
	refusals()
	p, err := counters.DescribePreset("PAPI_L1_DCM")
	check("preset", err == nil && len(p.Natives) == 1 && p.Natives[0] == "sim:PAPI_L1_DCM", p, err)
	event, from, err := counters.Find("sim:BGL_D1_HIT")
	check("find", err == nil && from.Name() == "simulator" && event.Description != "", event, err)
	fmt.Println("done")
}
