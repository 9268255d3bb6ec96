// Command foreign runs the tests of programs that others wrote, by go test and by tracerec test, and says whether they pass and fail alike and what
// recording costs. Modules come from where the go command gets them, at the versions in programs.go.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

var (
	only   = flag.String("only", "", "names of programs, separated by commas")
	runs   = flag.Int("runs", 3, "how often the tests run in either way, in turns")
	race   = flag.Bool("race", false, "with the race detector")
	work   = flag.String("work", "", "directory for modules, caches and archives, kept; default is a temporary one")
	family = flag.String("bin", "../bin", "directory of tracerec and expert")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	bin, err := filepath.Abs(*family)
	if err != nil {
		return err
	}
	dir := *work
	if dir == "" {
		if dir, err = os.MkdirTemp("", "foreign-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	s := session{dir: dir, tracerec: filepath.Join(bin, "tracerec"), expert: filepath.Join(bin, "expert")}
	if err := s.warm(); err != nil {
		return err
	}
	fmt.Println(header)
	failed := false
	var ratios []float64
	for _, p := range programs {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), p.name) {
			continue
		}
		r, err := s.measure(p)
		if err != nil {
			fmt.Printf("| %s | %v |\n", p.name, err)
			failed = true
			continue
		}
		fmt.Println(r)
		ratios = append(ratios, r.ratio())
		for _, d := range r.differences {
			fmt.Println("  differs:", d)
			failed = true
		}
		if r.unsteady > 0 {
			fmt.Printf("  %d tests differ between runs of go test itself\n", r.unsteady)
		}
		fmt.Printf("  %s\n", r.verdict)
	}
	if len(ratios) > 0 {
		fmt.Println(sum(ratios))
	}
	if failed {
		return errors.New("not all programs passed and failed alike")
	}
	return nil
}

// session is where programs are built and run.
type session struct {
	dir, tracerec, expert string
}

// command returns one that runs in a module, with the caches of the session.
func (s *session) command(dir string, args ...string) *exec.Cmd {
	c := exec.Command(args[0], args[1:]...)
	c.Dir = dir
	c.Env = append(os.Environ(), "PWD="+dir, "GOCACHE="+filepath.Join(s.dir, "cache"), "GOFLAGS=-modcacherw", "GOWORK=off")
	return c
}

// warm builds the standard library, which everybody has built before, in both ways.
func (s *session) warm() error {
	dir := filepath.Join(s.dir, "warm")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"go.mod":    "module warm\n\ngo 1.25\n",
		"a_test.go": "package warm\n\nimport (\n\t_ \"net/http/httptest\"\n\t\"testing\"\n\t_ \"text/template\"\n)\n\nfunc Test(*testing.T) {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, w := range []way{plain, recorded} {
		if _, err := s.test(w, dir, "-run=NONE"); err != nil {
			return err
		}
	}
	return nil
}

// module returns a directory with a copy of a module that may be written.
func (s *session) module(p program) (string, error) {
	dir := filepath.Join(s.dir, p.name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	out, err := s.command(s.dir, "go", "mod", "download", "-json", p.module).Output()
	var m struct{ Dir, Error string }
	if json.Unmarshal(out, &m) != nil || m.Dir == "" {
		return "", fmt.Errorf("go mod download %s: %v %s", p.module, err, m.Error)
	}
	if err := os.CopyFS(dir, os.DirFS(m.Dir)); err != nil {
		return "", err
	}
	// Tests write beside their sources.
	err = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(name, info.Mode()|0o200)
	})
	return dir, err
}
