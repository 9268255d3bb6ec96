// Command words counts in how many Go files below a directory each word stands, and prints the most frequent ones. It is written as
// people write programs: nothing in it knows of package instrument. "tracerec run" records it as it is.
//
//	words [-batch] [DIR]
//
// Several goroutines read files. They share one map, and have to wait for each other where they change it, for each word of each file. With
// -batch each of them adds all words of a file at once.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// index counts the files of each word.
type index struct {
	mu    sync.Mutex
	files map[string]int
}

// add counts words of one file.
func (x *index) add(words ...string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, w := range words {
		x.files[w]++
	}
}

// wordsOf returns the different words of a text.
func wordsOf(text string) []string {
	seen := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }) {
		seen[strings.ToLower(w)] = true
	}
	return slices.Collect(maps.Keys(seen))
}

// read counts the words of files until there are no more.
func read(paths <-chan string, x *index, batch bool) {
	for path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it is gone
		}
		words := wordsOf(string(text))
		if batch {
			x.add(words...)
			continue
		}
		for _, w := range words {
			x.add(w)
		}
	}
}

func main() {
	batch := flag.Bool("batch", false, "add all words of a file at once")
	flag.Parse()
	dir := cmp.Or(flag.Arg(0), ".")
	paths, x := make(chan string), &index{files: map[string]int{}}
	var readers sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		readers.Go(func() { read(paths, x, *batch) })
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" && e.Type().IsRegular() {
			paths <- path
		}
		return err
	})
	close(paths)
	readers.Wait()
	if err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
	words := slices.SortedFunc(maps.Keys(x.files), func(a, b string) int {
		return cmp.Or(cmp.Compare(x.files[b], x.files[a]), cmp.Compare(a, b))
	})
	for _, w := range words[:min(5, len(words))] {
		fmt.Printf("%6d %s\n", x.files[w], w)
	}
}
