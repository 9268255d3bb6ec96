package given

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Recorded is an archive of the tests of a package, or of a benchmark in it.
type Recorded struct {
	Package   string   `json:"package"`
	Benchmark string   `json:"benchmark,omitempty"`
	Dir       string   `json:"dir"` // below the directory of all; "" if there is no archive
	Said      []string `json:"-"`   // messages of the recorder
}

// report is what is left of a recording for who ran the go command.
type report struct {
	Package, Benchmark string
	Archive            string // where it was made
	Said               []string
}

// recording begins the names of archives that are being made, below the directory of all: to make files takes longer than some tests, so
// each is named after its report, which is new.
const recording = ".recording-"

// notRun is the exit status for tests that were not run: go test must not call them passed.
const notRun = 2

// A Recorder records a command into a directory. Its standard output is stdout. It returns the exit status; an error if it was not started.
type Recorder func(dir string, command []string, stdout *os.File, say func(string)) (status int, err error)

// Test runs and records the tests that go test gives to us, with the arguments of the test, and returns the exit status.
func Test(orders string, args []string, record Recorder) (status int, err error) {
	r := &run{at: filepath.Dir(orders), record: record}
	if err := readJSON(orders, &r.orders); err != nil {
		return notRun, err
	}
	running, err := obey(orders)
	if err != nil {
		return notRun, err
	}
	defer running.Close()
	if r.name, err = testOf(args[0]); err != nil {
		return notRun, err
	}
	r.program, r.args = slices.Concat(r.orders.Exec, args[:1]), args[1:]
	if pattern := argument(args, "bench"); pattern != "" {
		return r.benchmarks(pattern)
	}
	return r.recorded("", r.args, os.Stdout)
}

// run is the run of the tests of a package.
type run struct {
	orders  Orders
	at      string // the directory of orders and reports
	name    string // of the package
	program []string
	args    []string
	record  Recorder
}

// testOf returns the package whose tests are in a program.
func testOf(program string) (string, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return "", err
	}
	path := strings.TrimSuffix(info.Path, ".test")
	if path == "" || !filepath.IsLocal(path) {
		return "", fmt.Errorf("%s: %q is not the path of a package", program, path)
	}
	return path, nil
}

// argument returns the value of a flag of package testing, as go test gives it.
func argument(args []string, name string) (value string) {
	for _, a := range args {
		if v, ok := strings.CutPrefix(a, "-test."+name+"="); ok {
			value = v
		}
	}
	return value
}

// recorded records tests, or a benchmark. A report is there while it goes on: this process may be killed.
func (r *run) recorded(benchmark string, args []string, stdout *os.File) (int, error) {
	file, err := os.CreateTemp(r.at, reports)
	if err != nil {
		return notRun, err
	}
	file.Close()
	p := report{Package: r.name, Benchmark: benchmark, Archive: archiveOf(file.Name(), r.orders.Output)}
	if err := writeJSON(file.Name(), &p); err != nil {
		return notRun, errors.Join(err, os.Remove(file.Name()))
	}
	status, err := r.record(p.Archive, slices.Concat(r.program, args), stdout, func(message string) { p.Said = append(p.Said, message) })
	if err == nil && len(p.Said) > 0 {
		err = writeJSON(file.Name(), &p)
	}
	return status, err
}

// Archives puts the archives of tests, with orders in dir, where they belong below the directory output, and returns what there is, by package. An error says of which reports, or archives, that was not possible; the
// others are there.
func Archives(dir, output string) (list []Recorded, err error) {
	files, err := filepath.Glob(filepath.Join(dir, reports))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(x, y string) int { return modified(x).Compare(modified(y)) })
	for _, f := range files {
		is, failed := archive(f, output)
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		list = append(list, is)
	}
	slices.SortStableFunc(list, func(x, y Recorded) int { return strings.Compare(x.Package, y.Package) })
	return list, err
}

// archiveOf returns where tests are recorded of which a report is to tell.
func archiveOf(report, output string) string {
	return filepath.Join(output, recording+strings.TrimSuffix(filepath.Base(report), ".json"))
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// archive puts the archive of a report where it belongs.
func archive(file, output string) (Recorded, error) {
	var p report
	if err := readJSON(file, &p); err != nil {
		if dir := archiveOf(file, output); exists(dir) {
			return Recorded{}, fmt.Errorf("%s: it is not known of which tests this recording is: %w", dir, err)
		}
		return Recorded{}, fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	is := Recorded{Package: p.Package, Benchmark: p.Benchmark, Said: p.Said}
	if entries, err := os.ReadDir(p.Archive); err == nil && len(entries) > 0 {
		is.Dir = filepath.Join(filepath.FromSlash(p.Package), p.Benchmark)
		to := filepath.Join(output, is.Dir)
		if err := move(to, p.Archive, entries); err != nil {
			return is, err
		}
		for i, message := range is.Said {
			is.Said[i] = strings.ReplaceAll(message, p.Archive, to)
		}
	}
	os.RemoveAll(p.Archive)
	return is, nil
}

func modified(file string) (at time.Time) {
	if info, err := os.Stat(file); err == nil {
		at = info.ModTime()
	}
	return at
}

// move moves files into a directory, which may be there: archives of packages below a package are in its own.
func move(to, from string, entries []os.DirEntry) error {
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
