// Package exact patches the Go scheduler so that it counts for every goroutine: whenever it puts a goroutine on a thread, or takes
// it off, it reads the thread's event set, and adds what the goroutine counted to a sum in the goroutine's descriptor. Readings of
// that sum (package counters/sample) are certain, whatever threads the goroutine was on.
//
// Nothing changes in the Go installation: [Patch] adds patched copies of a few files of the user's own runtime to an overlay. For some versions of Go it is known where a goroutine gets on a thread and off. The package refuses any other source, and also a
// source of these versions that does not look as expected: each place to patch must be found exactly once, and there must be no other way
// onto a thread.
//
// Without a recording, or in one without counters, a switch costs two loads and branches more.
package exact

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tracerec/autoinst/overlay"
)

// ErrUnsupported is wrapped by errors about a Go installation or system that cannot be patched.
var ErrUnsupported = errors.New("exact counters are not supported")

// versions lists the versions of Go, without their last number, whose scheduler is known.
var versions = []string{"go1.26"}

// A Target is what is built for, and with which Go, as go env says it.
type Target struct{ GOROOT, GOVERSION, GOOS, GOARCH string }

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

// Patch adds the hooks to an overlay of the Go installation that builds.
func Patch(o *overlay.Overlay, t Target) error {
	if err := t.supported(); err != nil {
		return err
	}
	if err := checkWays(filepath.Join(t.GOROOT, "src", "runtime")); err != nil {
		return err
	}
	for _, p := range patches {
		where := overlay.Behind
		if p.before {
			where = overlay.Before
		}
		if err := o.Patch(overlay.Patch{File: "runtime/" + p.file, Within: p.within, Anchor: p.anchor, Where: where, Text: p.text}); err != nil {
			return fmt.Errorf("%w: %w; build without --exact-counters", ErrUnsupported, err)
		}
	}
	o.Add("runtime/"+added, hooks)
	return nil
}

func (t Target) supported() error {
	switch {
	case t.GOOS != "linux" || t.GOARCH != "amd64" && t.GOARCH != "arm64":
		return fmt.Errorf("%w on %s/%s: only on linux/amd64 and linux/arm64; build without --exact-counters", ErrUnsupported, t.GOOS, t.GOARCH)
	case !slices.ContainsFunc(versions, func(v string) bool { return t.GOVERSION == v || strings.HasPrefix(t.GOVERSION, v+".") }):
		return fmt.Errorf("%w by %s: only by %s (choose one with GOTOOLCHAIN); build without --exact-counters", ErrUnsupported, t.GOVERSION, strings.Join(versions, ", "))
	}
	return nil
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
