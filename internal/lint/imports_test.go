package lint

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	module   = "tracerec"
	zstd     = "github.com/klauspost/compress/zstd"
	flate    = "github.com/klauspost/compress/flate"
	msgpack  = "github.com/vmihailenco/msgpack/v5"
	unix     = "golang.org/x/sys/unix"
	cobra    = "github.com/spf13/cobra"
	exptrace = "golang.org/x/exp/trace"
	testify  = "github.com/stretchr/testify/require"
)

// rule says what a package may import: packages of ours and packages of others outside the standard library.
// All are patterns of path.Match.
type rule struct {
	pkg    string
	ours   []string
	others []string
}

// rules lists all packages. The first that matches counts; a package that none matches is an error, so that a
// new one gets its place here.
var rules = []rule{
	{"trace/wire", nil, nil},
	{"trace/tracetext", []string{"trace", "trace/wire"}, nil},
	{"trace/tracetest", []string{"trace", "trace/wire"}, nil},
	{"trace", []string{"trace/wire", "internal/*"}, []string{zstd, msgpack}},
	{"instrument", []string{"trace/wire", "counters/sample", "internal/*"}, nil},
	{"counters/sample", []string{"trace/wire", "simulator/guest", "internal/*"}, nil},
	{"counters/substrate", nil, nil},
	{"counters/events", []string{"internal/*"}, nil},
	{"counters/events/generate", []string{"counters/events"}, nil},
	{"counters/hardware", []string{"counters/events", "internal/*"}, nil},
	{"counters/perf", []string{"counters/events", "counters/substrate", "internal/*"}, []string{unix}},
	{"counters/scripted", []string{"counters/substrate"}, nil},
	{"counters/conformance", []string{"counters", "counters/mpx", "counters/scripted", "counters/simulated", "counters/substrate", "simulator/guest"}, []string{testify}},
	{"counters/simulated", []string{"counters/substrate", "simulator/guest"}, nil},
	{"counters/mpx", []string{"counters/substrate", "internal/*"}, nil},
	{"counters/mpx/figures", []string{"counters/*", "counters/mpx/figures/loops", "recorder/simulated", "simulator/*", "internal/*"}, []string{unix}},
	{"counters/mpx/figures/guest", []string{"counters", "counters/*", "counters/mpx/figures/loops", "simulator/guest"}, nil},
	{"counters/mpx/figures/loops", nil, nil},
	{"counters", []string{"counters/*", "trace/wire", "internal/*"}, []string{unix}},
	{"recorder/simulated", []string{"simulator/*", "counters/sample", "trace", "trace/wire", "recorder", "instrument", "internal/*"}, []string{unix}},
	{"recorder/live", []string{"trace/wire", "internal/*"}, []string{unix}},
	{"recorder", []string{"trace", "trace/wire", "instrument", "counters", "counters/*", "internal/*"}, []string{unix}},
	{"autoinst/exact", []string{"internal/*"}, nil},
	{"exchange/gotrace", []string{"trace", "trace/wire", "internal/*"}, []string{exptrace}},
	{"metric", nil, nil},
	{"metric/spec", []string{"metric"}, nil},
	{"metric/plan", []string{"metric/spec"}, nil},
	{"report/composite", []string{"metric", "metric/spec", "report", "report/algebra", "report/cube", "report/query", "trace/wire", "internal/*"}, nil},
	{"report", []string{"metric", "metric/spec", "report/cube"}, nil},
	{"report/cubepl", nil, nil},
	{"report/cube/cubetest", []string{"report/cube"}, nil},
	{"report/tracestat", nil, nil},
	{"report/cube", []string{"internal/output"}, []string{flate}},
	{"report/algebra", []string{"report/cube", "report/cubepl", "report/query", "internal/*"}, nil},
	{"report/query", []string{"report/cube", "report/cubepl", "internal/*"}, nil},
	{"report/limit", []string{"report/algebra", "report/cube", "report/query", "internal/*"}, nil},
	{"report/web", []string{"report", "report/algebra", "report/cube", "report/query", "report/tracestat"}, nil},
	{"analyzer", []string{"trace", "trace/wire", "metric", "metric/spec", "report"}, nil},
	{"analyzer/timeline", []string{"report", "trace", "trace/wire"}, nil},
	{"report/table", []string{"report/cube", "report/query", "internal/*"}, nil},
	{"exchange/pprof", []string{"report/cube", "report/query", "internal/*"}, nil},
	{"exchange/perfetto", []string{"analyzer", "metric", "report", "trace", "trace/wire", "internal/*"}, nil},
	{"simulator/guest", nil, nil},
	{"simulator/addresstrace", []string{"simulator/*"}, []string{zstd}},
	{"simulator/*", []string{"simulator/*", "internal/*"}, []string{unix}},
	{"simulator/*/*", []string{"simulator/*"}, nil},
	{"patterns", []string{"analyzer", "metric", "metric/spec", "trace", "trace/wire"}, nil},
	{"examples", nil, nil},
	{"examples/*", []string{"instrument", "recorder", "examples/*", "examples/*/*"}, nil},
	{"examples/*/*", []string{"instrument", "simulator/guest", "examples/*", "examples/*/*"}, nil},
	{"cmd/*", []string{"*", "*/*"}, []string{cobra, unix}},
	{"internal/naive", []string{"analyzer", "metric", "report", "trace", "trace/wire"}, nil},
	{"internal/naive/*", []string{"trace", "trace/wire", "internal/*"}, nil},
	{"internal/patterndoc", []string{"metric", "patterns", "report"}, nil},
	{"internal/*", []string{"trace/wire", "internal/*"}, nil},
}

// goPackage is the part of go list's output that matters here.
type goPackage struct {
	ImportPath                         string
	Standard                           bool
	Imports, TestImports, XTestImports []string
}

// golist runs go list as if on the given operating system.
func golist(t *testing.T, goos string, args ...string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-e", "-json"}, args...)...)
	cmd.Dir = "../.."
	cmd.Env = append(cmd.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		t.Fatalf("go list: %s", exit.Stderr)
	}
	require.NoError(t, err)
	var list []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); err == io.EOF {
			return list
		} else {
			require.NoError(t, err)
		}
		list = append(list, p)
	}
}

func TestImports(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, p := range golist(t, goos, "./...") {
			name := strings.TrimPrefix(p.ImportPath, module+"/")
			r := ruleFor(name)
			if r == nil {
				t.Errorf("%s: no rule says what it may import", name)
				continue
			}
			for _, i := range p.Imports {
				if !allowed(i, r.ours, r.others) || i == module+"/internal/testkit" {
					t.Errorf("%s imports %s", name, i)
				}
			}
			for _, i := range append(p.TestImports, p.XTestImports...) {
				if strings.Contains(i, ".") && !allowed(i, nil, append(r.others, testify, unix, zstd, msgpack)) {
					t.Errorf("the tests of %s import %s", name, i)
				}
			}
		}
	}
}

func ruleFor(name string) *rule {
	for i := range rules {
		if ok, _ := path.Match(rules[i].pkg, name); ok {
			return &rules[i]
		}
	}
	return nil
}

func allowed(imported string, ours, others []string) bool {
	list := others
	if name, ok := strings.CutPrefix(imported, module+"/"); ok {
		imported, list = name, ours
	} else if !strings.Contains(strings.Split(imported, "/")[0], ".") {
		return true // standard library
	}
	for _, pattern := range list {
		if ok, _ := path.Match(pattern, imported); ok {
			return true
		}
	}
	return false
}

// What instrument drags along ends up in the measured program: that must be the standard library and leaves
// of ours.
func TestInstrumentIsLight(t *testing.T) {
	for _, p := range golist(t, "linux", "-deps", "./instrument") {
		if !p.Standard && !strings.HasPrefix(p.ImportPath, module+"/") {
			t.Errorf("instrument depends on %s", p.ImportPath)
		}
		for _, heavy := range []string{"net/http", "encoding/json", "text/template", "testing"} {
			if p.ImportPath == heavy {
				t.Errorf("instrument depends on %s", heavy)
			}
		}
	}
}
