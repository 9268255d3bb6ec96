// Command words counts in how many Go files below a directory each word stands, and prints the most frequent ones. It is written as
// people write programs: nothing in it knows of package instrument. "tracerec run" records it as it is.
//
//	words [-before] [DIR]
//
// Several goroutines read files, and share an index. They take the words of a file apart while they have locked it; with -before they do so before
// that, and lock it only to add them.
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

// add counts the words of a file, which are taken apart before the index is locked or while it is.
func (x *index) add(text string, before bool) {
	var words []string
	if before {
		words = wordsOf(text)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if !before {
		words = wordsOf(text)
	}
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
func read(paths <-chan string, x *index, before bool) {
	for path := range paths {
		if text, err := os.ReadFile(path); err == nil { // otherwise it is gone
			x.add(string(text), before)
		}
	}
}

func main() {
	before := flag.Bool("before", false, "take words apart before the index is locked")
	flag.Parse()
	dir := cmp.Or(flag.Arg(0), ".")
	paths, x := make(chan string, 1000), &index{files: map[string]int{}}
	var readers sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		readers.Go(func() { read(paths, x, *before) })
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
