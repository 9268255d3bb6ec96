package patterns_test

import (
	"fmt"
	"testing"

	"tracerec/analyzer"
	"tracerec/trace/wire"
)

// traffic is n sends and n receives in each pair of goroutines over one channel; every second receive
// waits.
func traffic(pairs, n int) (list []analyzer.Op) {
	for l := range 2 * pairs {
		for i := range n {
			t := int64(i*1000 + l)
			switch {
			case l < pairs:
				list = append(list, send(uint32(l), t, atOnce, t+30))
			case i%2 == 0:
				list = append(list, recv(uint32(l), t-500, t-480, t+300))
			default:
				list = append(list, recv(uint32(l), t+200, atOnce, t+240))
			}
		}
	}
	return list
}

func BenchmarkChannel(b *testing.B) {
	for _, pairs := range []int{1, 8} {
		list := traffic(pairs, 500_000/pairs)
		b.Run(fmt.Sprintf("pairs=%d", pairs), func(b *testing.B) {
			var m analyzer.Matcher
			var waits, sum int64
			b.ReportAllocs()
			for b.Loop() {
				m.Match(wire.Channel, 1024, list, func(points []analyzer.SynchPoint) {
					for i := range points {
						waits++
						sum += points[i].Release - points[i].Begin
					}
				})
			}
			b.ReportMetric(float64(len(list)*b.N)/b.Elapsed().Seconds()/1e6, "Mops/s")
			b.ReportMetric(float64(waits)/float64(b.N), "waits/op")
		})
	}
}

// convoy is n acquisitions by each of so many goroutines, which take turns, so that each waits for all
// others.
func convoy(goroutines, n int) (list []analyzer.Op) {
	const hold = 100
	for l := range goroutines {
		last := int64(0)
		for i := range n {
			t := int64(i*goroutines+l) * hold
			list = append(list, lock(uint32(l), last, last, t), unlock(uint32(l), t+hold-1))
			last = t + hold
		}
	}
	return list
}

func BenchmarkLock(b *testing.B) {
	for _, goroutines := range []int{1, 32, 10000} {
		list := convoy(goroutines, 100_000/goroutines)
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			var m analyzer.Matcher
			var waits, sum int64
			b.ReportAllocs()
			for b.Loop() {
				m.Match(wire.Mutex, 0, list, func(points []analyzer.SynchPoint) {
					for i := range points {
						waits++
						sum += points[i].Release - points[i].Begin
					}
				})
			}
			b.ReportMetric(float64(len(list)*b.N)/b.Elapsed().Seconds()/1e6, "Mops/s")
			b.ReportMetric(float64(waits)/b.Elapsed().Seconds()/1e6, "Mwaits/s")
		})
	}
}
