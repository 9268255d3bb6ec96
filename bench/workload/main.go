// Command workload does one kind of work again and again. Emulators, cache simulators and the simulator all run it, so that they can be
// compared. All builds are made from this one source.
//
//	workload KIND TIMES
package main

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
)

// kinds are the kinds of work. Each returns a number that depends on all that was computed.
var kinds = map[string]func() uint64{
	"loop": loop, "matrix": matrix, "map": maps, "channel": channels, "sort": sorting, "flate": deflate,
}

func main() {
	if len(os.Args) != 3 || kinds[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: workload loop|matrix|map|channel|sort|flate TIMES")
		os.Exit(2)
	}
	times, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, "workload:", err)
		os.Exit(2)
	}
	var sum uint64
	for range times {
		sum += kinds[os.Args[1]]()
	}
	fmt.Println(os.Args[1], sum)
}

// loop is a tight loop in registers.
func loop() uint64 {
	x := uint64(88172645463325252)
	for range 5_000_000 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// matrix multiplies matrices.
func matrix() uint64 {
	const n = 100
	a, b, c := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	for i := range a {
		a[i], b[i] = float64(i%7)+0.1, float64(i%5)+0.3
	}
	for i := range n {
		for j := range n {
			s := 0.0
			for k := range n {
				s += a[i*n+k] * b[k*n+j]
			}
			c[i*n+j] = s
		}
	}
	return uint64(c[n*n-1])
}

type node struct {
	next  *node
	value uint64
}

// maps fills maps and lists, and leaves them to the garbage collector.
func maps() (sum uint64) {
	r := rand.New(rand.NewPCG(1, 2))
	m := map[uint64]*node{}
	for range 40_000 {
		k := r.Uint64N(20_000)
		m[k] = &node{m[k], k}
	}
	for k := range uint64(20_000) {
		for n := m[k]; n != nil; n = n.next {
			sum += n.value
		}
	}
	return sum
}

// channels hands numbers through a chain of goroutines.
func channels() (sum uint64) {
	first := make(chan uint64)
	in := first
	for range 4 {
		from, to := in, make(chan uint64)
		go func() {
			for v := range from {
				to <- v + 1
			}
			close(to)
		}()
		in = to
	}
	go func() {
		for i := range uint64(8_000) {
			first <- i
		}
		close(first)
	}()
	for v := range in {
		sum += v
	}
	return sum
}

// sorting sorts words.
func sorting() uint64 {
	r := rand.New(rand.NewPCG(3, 4))
	words := make([]string, 15_000)
	for i := range words {
		words[i] = strings.Repeat(string(rune('a'+r.IntN(26))), r.IntN(4)) + strconv.Itoa(r.IntN(1_000_000))
	}
	slices.Sort(words)
	return uint64(len(strings.Join(words, " "))) + uint64(words[0][0])
}

// deflate compresses text and expands it again.
func deflate() uint64 {
	r := rand.New(rand.NewPCG(5, 6))
	var text bytes.Buffer
	for range 30_000 {
		text.WriteString([]string{"the ", "queue ", "of ", "a ", "channel ", "is ", "empty ", "\n"}[r.IntN(8)])
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.DefaultCompression)
	if err != nil {
		panic(err)
	}
	w.Write(text.Bytes())
	w.Close()
	n, err := io.Copy(io.Discard, flate.NewReader(&packed))
	if err != nil {
		panic(err)
	}
	return uint64(n)
}
