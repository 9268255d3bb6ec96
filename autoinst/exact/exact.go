// Package exact patches the Go scheduler so that it counts for every goroutine: whenever it puts a goroutine on a thread, or takes
// it off, it reads the thread's event set, and adds what the goroutine counted to a sum in the goroutine's descriptor. Readings of
// that sum (package counters/sample) are certain, whatever threads the goroutine was on.
//
// Nothing changes in the Go installation: [Build] runs go build with an overlay, which has patched copies of a few files of the user's own
// runtime. For some versions of Go it is known where a goroutine gets on a thread and off. The package refuses any other source, and also a
// source of these versions that does not look as expected: each place to patch must be found exactly once, and there must be no other way
// onto a thread.
//
// Without a recording, or in one without counters, a switch costs two loads and branches more.
package exact

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrUnsupported is wrapped by errors about a Go installation or system that cannot be patched.
var ErrUnsupported = errors.New("exact counters are not supported")

// versions lists the versions of Go, without their last number, whose scheduler is known.
var versions = []string{"go1.26"}

// toolchain is what `go env` says of the Go that builds.
type toolchain struct {
	GOROOT    string
	GOVERSION string
	GOOS      string // of the program
	GOARCH    string
}

//go:embed hooks.txt
var hooks string

// added is the name of the file that is added to the runtime.
const added = "tracerec_hooks.go"

// patch puts text behind (or before) the only place of an anchor in a function or type of a file.
type patch struct {
	file, within string // the line that begins the function or type
	anchor       string
	before       bool
	text         string
}

var patches = []patch{
	{"runtime2.go", "type g struct {", "\n}", true, "\n\n\ttracerec tracerecSums"},
	{"runtime2.go", "type m struct {", "\n}", true, "\n\n\ttracerec tracerecGroup"},
	// On: after all else that the scheduler does. Off: first.
	{"proc.go", "func execute(gp *g, inheritTime bool) {", "\n\tgogo(&gp.sched)\n", true, "\n\ttracerecOn(mp, gp)"},
	{"proc.go", "func dropg() {", "\n\tgp := getg()\n", false, "\ttracerecOff(gp.m, gp.m.curg)\n"},
	{"proc.go", "func mexit(osStack bool) {", "\n\tmp := getg().m\n", false, "\ttracerecLeave(mp)\n"},
	{"proc.go", "func dropm() {", "\n\tmp := getg().m\n", false, "\ttracerecLeave(mp)\n"},
	{"coro.go", "func newcoro(f func(*coro)) *coro {", "\n\tc.gp.set(gp)\n", false, "\ttracerecCoro(gp, c)\n"},
	{"coro.go", "func coroswitch_m(gp *g) {", "\n\tmp := gp.m\n", false, "\ttracerecOff(mp, gp)\n\ttracerecYield(mp, gp, c, exit)\n"},
	{"coro.go", "func coroswitch_m(gp *g) {", "\n\tgogo(&gnext.sched)\n", true, "\n\ttracerecResumed(mp, gnext)\n\ttracerecOn(mp, gnext)"},
}

// ways are the statements that put goroutines on threads or take them off, and how often the runtime has them. A version with others
// has ways that are not patched.
var ways = []struct {
	text  string
	times int
}{
	{"\tgogo(&", 7},          // execute, coroswitch_m; the others go on with the same goroutine, or to g0
	{"curg = gp\n", 2},       // execute, and a thread that C made
	{"setGNoWB(&", 2},        // dropg, coroswitch_m
	{"curg = nil\n", 1},      // on the system's stack, for a moment
	{"setMNoWB(&gnext.m", 1}, // coroswitch_m
}

// overlay writes the patched files into the directory dir, with the file for go build -overlay, and returns the name of that. user
// is an overlay that the build would have otherwise, "" if none.
func overlay(t toolchain, dir, user string) (string, error) {
	if err := t.supported(); err != nil {
		return "", err
	}
	replace := map[string]string{}
	if user != "" {
		var err error
		if replace, err = readOverlay(user); err != nil {
			return "", err
		}
	}
	source := filepath.Join(t.GOROOT, "src", "runtime")
	files, err := patched(source)
	if err != nil {
		return "", err
	}
	files[added] = hooks
	for _, name := range slices.Sorted(maps.Keys(files)) {
		at := filepath.Join(source, name)
		if _, taken := replace[at]; taken {
			return "", fmt.Errorf("%s replaces %s, which exact counters need to patch", user, at)
		}
		replace[at] = filepath.Join(dir, name)
		if err := os.WriteFile(replace[at], []byte(files[name]), 0o644); err != nil {
			return "", err
		}
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o644)
}

func (t toolchain) supported() error {
	switch {
	case t.GOOS != "linux" || t.GOARCH != "amd64" && t.GOARCH != "arm64":
		return fmt.Errorf("%w on %s/%s: only on linux/amd64 and linux/arm64; build without --exact-counters", ErrUnsupported, t.GOOS, t.GOARCH)
	case !slices.ContainsFunc(versions, func(v string) bool { return t.GOVERSION == v || strings.HasPrefix(t.GOVERSION, v+".") }):
		return fmt.Errorf("%w by %s: only by %s (choose one with GOTOOLCHAIN); build without --exact-counters", ErrUnsupported, t.GOVERSION, strings.Join(versions, ", "))
	}
	return nil
}

func readOverlay(name string) (map[string]string, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var overlay struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &overlay); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if overlay.Replace == nil {
		overlay.Replace = map[string]string{}
	}
	return overlay.Replace, nil
}

// patched returns the patched files of the runtime in the directory source, by name.
func patched(source string) (map[string]string, error) {
	if err := checkWays(source); err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, p := range patches {
		text, ok := files[p.file]
		if !ok {
			content, err := os.ReadFile(filepath.Join(source, p.file))
			if err != nil {
				return nil, fmt.Errorf("%w: %w", ErrUnsupported, err)
			}
			text = string(content)
		}
		text, ok = p.apply(text)
		if !ok {
			return nil, fmt.Errorf("%w: %s: %q is not found exactly once in %q: the source of this Go version is not known; build without --exact-counters",
				ErrUnsupported, filepath.Join(source, p.file), strings.TrimSpace(p.anchor), p.within)
		}
		files[p.file] = text
	}
	return files, nil
}

// apply returns the patched text of a file.
func (p *patch) apply(text string) (string, bool) {
	begin := strings.Index(text, "\n"+p.within+"\n")
	if begin < 0 || strings.Count(text, "\n"+p.within+"\n") != 1 {
		return "", false
	}
	length := strings.Index(text[begin+1:], "\n}\n")
	if length < 0 {
		return "", false
	}
	end := begin + 1 + length + len("\n}")
	body := text[begin:end]
	if strings.Count(body, p.anchor) != 1 {
		return "", false
	}
	at := begin + strings.Index(body, p.anchor)
	if !p.before {
		at += len(p.anchor)
	}
	return text[:at] + p.text + text[at:], true
}

// checkWays counts the ways in all files of the runtime.
func checkWays(source string) error {
	entries, err := os.ReadDir(source)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	counts := make([]int, len(ways))
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") || e.Name() == added {
			continue
		}
		text, err := os.ReadFile(filepath.Join(source, e.Name()))
		if err != nil {
			return err
		}
		for i, w := range ways {
			counts[i] += strings.Count(string(text), w.text)
		}
	}
	for i, w := range ways {
		if counts[i] != w.times {
			return fmt.Errorf("%w: %s has %q %d times, not %d: the source of this Go version is not known; build without --exact-counters",
				ErrUnsupported, source, strings.TrimSpace(w.text), counts[i], w.times)
		}
	}
	return nil
}
