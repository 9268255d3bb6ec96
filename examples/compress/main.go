// Command compress packs a directory tree with a pool of workers: one goroutine lists the files, workers
// read and compress them, and one goroutine writes the results in the order of the list, as gzip members
// that carry the file's name. Every worker unpacks what it made and compares it with the file.
//
// With -slow-writer the writer takes a while for each file, as over a slow network; its queue fills up and
// the workers wait for it.
package main

import (
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"tracerec/instrument"
)

// slowWrite is what -slow-writer adds to each file.
const slowWrite = 500 * time.Microsecond

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compress:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("compress", flag.ExitOnError)
	output := flags.String("o", "", "write the result to this `file` (default: nowhere)")
	workers := flags.Int("workers", runtime.GOMAXPROCS(0), "files compressed at the same time")
	queue := flags.Int("queue", 16, "files that wait between two stages at most")
	level := flags.Int("level", 6, "compression level, 1 (fast) to 9")
	slow := flags.Bool("slow-writer", false, fmt.Sprintf("take %v more for each file written", slowWrite))
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: compress [flags] [directory, default the Go source tree]")
		flags.PrintDefaults()
	}
	flags.Parse(args)
	if *workers < 1 || *queue < 0 || *level < gzip.BestSpeed || *level > gzip.BestCompression || flags.NArg() > 1 {
		flags.Usage()
		return fmt.Errorf("bad usage")
	}

	defer instrument.Region("compress").End()
	root := flags.Arg(0)
	if root == "" {
		if root, err = goSource(); err != nil {
			return err
		}
	}
	paths, err := list(root)
	if err != nil {
		return err
	}
	var w io.Writer = io.Discard
	if *output != "" {
		f, err := os.Create(*output)
		if err != nil {
			return err
		}
		defer func() {
			if e := f.Close(); err == nil {
				err = e
			}
		}()
		w = f
	}
	p := &pipeline{root: root, workers: *workers, queue: *queue, level: *level}
	if *slow {
		p.delay = slowWrite
	}
	sum, err := p.run(paths, w)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d files, %d bytes packed into %d, each unpacked again and equal\n", sum.files, sum.read, sum.written)
	return nil
}

// goSource is the directory of the Go source tree.
func goSource() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOROOT: %w; name a directory instead", err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "src"), nil
}

// list returns the paths of all regular files below root, in lexical order.
func list(root string) (paths []string, err error) {
	defer instrument.Region("list").End()
	err = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			paths = append(paths, path)
		}
		return err
	})
	return paths, err
}
