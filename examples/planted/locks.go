package main

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tracerec/instrument"
)

// The one that holds the lock long does so for longHold and then leaves it alone for longPause; the others
// come often and hold it briefly.
const (
	longHold   = 5 * time.Millisecond
	longPause  = 8 * time.Millisecond
	shortHold  = 20 * time.Microsecond
	shortPause = 200 * time.Microsecond
)

// charges is how much of all waiting is charged to the holders of a lock, by the program's own clock.
type charges struct {
	Long int64 `json:"long_ns"` // to the one that holds it for long
	All  int64 `json:"all_ns"`
}

// acquisition is one time that somebody took the lock; ns since the start.
type acquisition struct {
	asked, got, released int64
	long                 bool
}

// crowd lets competitors take a lock again and again until the long holder has had it so many times.
func crowd(competitors, rounds int) charges {
	var (
		mu    instrument.Mutex
		start = time.Now()
		now   = func() int64 { return int64(time.Since(start)) }
		logs  = make([][]acquisition, competitors+1)
		wg    sync.WaitGroup
		over  atomic.Bool
	)
	for id := range logs {
		wg.Add(1)
		instrument.Go(func() {
			defer wg.Done()
			long := id == 0
			name, pause := "short_holder", shortPause
			if long {
				name, pause = "long_holder", longPause
			}
			defer instrument.Region(name).End()
			for round := 0; long && round < rounds || !long && !over.Load(); round++ {
				time.Sleep(pause)
				a := acquisition{asked: now(), long: long}
				mu.Lock()
				a.got = now()
				if long {
					time.Sleep(longHold)
				} else {
					for now()-a.got < int64(shortHold) {
					}
				}
				a.released = now()
				mu.Unlock()
				logs[id] = append(logs[id], a)
			}
			if long {
				over.Store(true)
			}
		})
	}
	wg.Wait()
	return chargeHolders(slices.Concat(logs...))
}

// chargeHolders charges every instant of every wait to whoever held the lock at that instant.
func chargeHolders(all []acquisition) (c charges) {
	slices.SortFunc(all, func(x, y acquisition) int { return cmp.Compare(x.got, y.got) })
	for i, a := range all {
		// Holds do not overlap, so those before the first that ended too early ended earlier still.
		for j := i - 1; j >= 0 && all[j].released > a.asked; j-- {
			h := all[j]
			overlap := min(h.released, a.got) - max(h.got, a.asked)
			c.All += overlap
			if h.long {
				c.Long += overlap
			}
		}
	}
	return c
}
