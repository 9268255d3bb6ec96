// Package build runs the go command so that the programs and tests that it builds record themselves: every goroutine, and every operation by
// which goroutines wait for each other, in the program, in its dependencies and in the standard library. No file of the user's is touched:
// what is added goes through an overlay. A program built so and run without a recorder behaves as one built without it.
//
// The go command does all that it does otherwise, and says what it says otherwise. It hands programs and tests that it would run to a
// command of its -exec flag, which records them (see package given).
package build

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"tracerec"
	"tracerec/autoinst/exact"
	"tracerec/autoinst/given"
	"tracerec/autoinst/overlay"
	"tracerec/autoinst/regions"
	"tracerec/internal/launch"
)

// A Build is one go command in the making.
type Build struct {
	a       *arguments
	t       *toolchain
	dir     string // temporary
	overlay string // file for -overlay
	regions []regions.Summary
	made    regions.Build // of which they are
	deps    []string      // whose functions are regions, too
	unwatch func()        // signals end this process again

	Warning string // what the user has to know about what will be recorded, "" for nothing
}

// errGo is wrapped by errors of a go command that asked for something on the way. What is wrong it says itself if it is run as the user wrote it.
var errGo = errors.New("the go command failed")

// Interrupted is the error of what a signal to this process ended: the go command first, and nothing is left but to close the build.
type Interrupted struct {
	Status int // with which a shell would say so

	handOn func(*os.Process) error // has the signal reach the go command
}

func (*Interrupted) Error() string { return "interrupted" }

// New prepares go build, run or test, which is the verb, with these arguments. Functions become regions as r says. Close has to be called, even
// if there is an error. Until [Build.Run] has returned, or Close, signals that would end this process make both return *Interrupted.
func New(verb string, args []string, r regions.Options) (*Build, error) {
	b, err := prepare(verb, args)
	if err == nil && b.t.GOOS != "linux" {
		err = b.t.supported()
	}
	if err == nil {
		err = b.write(r)
	}
	return b, b.t.cause(err)
}

// NewExact is New for go build and programs that count exactly, see package exact, and record only what they say themselves.
func NewExact(args []string) (*Build, error) {
	b, err := prepare("build", args)
	if err != nil {
		return b, b.t.cause(err)
	}
	o, err := b.begin()
	if err == nil {
		err = exact.Patch(o, exact.Target{GOROOT: b.t.GOROOT, GOVERSION: b.t.GOVERSION, GOOS: b.t.GOOS, GOARCH: b.t.GOARCH})
	}
	if err == nil {
		b.overlay, err = o.Write(b.dir)
	}
	return b, b.t.cause(err)
}

// prepare takes the arguments apart, asks the go command how it builds, and makes the temporary directory.
func prepare(verb string, args []string) (b *Build, err error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	b = &Build{t: newToolchain(ctx), unwatch: sync.OnceFunc(watch(cancel))}
	if b.a, err = split(verb, args); err != nil {
		return b, fmt.Errorf("%w: %w", errGo, err)
	}
	if err := b.t.ask(b.a.chdir()); err != nil {
		return b, err
	}
	b.a.addEnvironment(b.t.GOFLAGS)
	if err := b.t.reach(); err != nil {
		return b, err
	}
	b.dir, err = hold()
	return b, err
}

// Regions says what became of the functions of each package.
func (b *Build) Regions() []regions.Summary { return b.regions }

// warn adds a line to what the user has to know.
func (b *Build) warn(line string) {
	if b.Warning != "" {
		b.Warning += "\ntracerec: "
	}
	b.Warning += line
}

// Close removes what is needed no more when the go command has ended.
func (b *Build) Close() {
	if b.dir != "" {
		os.RemoveAll(b.dir)
	}
	b.unwatch()
}

// Refused tells whether New failed for a reason that the go command says itself, see [Build.Plain].
func Refused(err error) bool { return errors.Is(err, errGo) }

// Plain runs the go command as the user wrote it, for what it says.
func Plain(verb string, args []string, stdout, stderr io.Writer) (status int, err error) {
	args = slices.DeleteFunc(slices.Clone(args), func(s string) bool { return strings.TrimLeft(s, "-") == rewrite && s != rewrite })
	return newToolchain(context.Background()).run(stdout, stderr, append([]string{verb}, args...)...)
}

// Run runs the go command. Programs and tests that it would run are given to the command exec, followed by the name of a file with orders for
// [given.Take] or [given.Test]; nil: they are run.
func (b *Build) Run(exec []string, o given.Orders, stdout, stderr io.Writer) (status int, err error) {
	defer b.unwatch()
	added := []string{"-overlay=" + b.overlay}
	if exec != nil {
		o.Exec, o.Cache = b.exec(), b.t.GOCACHE
		file, revoke, failed := o.Give(b.dir)
		if failed != nil {
			return 0, failed
		}
		defer func() { err = errors.Join(err, revoke()) }()
		text := ""
		for _, s := range append(slices.Clone(exec), file) {
			if s, err = quoted(s); err != nil {
				return 0, err
			}
			text += s + " "
		}
		added = append(added, "-exec="+text)
	}
	if b.a.verb == "test" {
		return b.test(added, stdout, stderr)
	}
	defer Building(stderr)()
	return b.t.run(stdout, stderr, b.a.line(added, b.a.packages)...)
}

// Program returns the program of go run, nil if it was not built.
func (b *Build) Program() (*given.Program, error) { return given.Taken(b.dir) }

// Archives puts the archives of tests where they belong below the directory output, and returns what there is, by package.
func (b *Build) Archives(output string) ([]given.Recorded, error) {
	return given.Archives(b.dir, output)
}

// Runs tells whether go test will run tests.
func (b *Build) Runs() bool {
	return !b.a.on("c") && !b.a.on("n") && b.a.value("list") == ""
}

// line returns the arguments of the go command with these flags beside those of the user, and these packages.
func (a *arguments) line(added, packages []string) []string {
	return slices.Concat([]string{a.verb}, a.chdir(), a.those([]string{"modfile"}), added, a.before, packages, a.rest, a.after)
}

// exec returns the command of the user's that is to run programs, nil if there is none.
func (b *Build) exec() []string {
	list, _ := fields(b.a.value("exec")) // the go command says what is wrong
	if len(list) == 0 && (b.t.GOOS != b.t.GOHOSTOS || b.t.GOARCH != b.t.GOHOSTARCH) {
		if name, err := launch.Find("go_" + b.t.GOOS + "_" + b.t.GOARCH + "_exec"); err == nil {
			return []string{name}
		}
	}
	return list
}

// imports is the name of the file that is added to programs.
const imports = "zz_tracerec.go"

const importing = "import _ \"tracerec/instrument\"\n"

// write writes the overlay.
func (b *Build) write(r regions.Options) error {
	if err := b.reachDeps(r.Deps); err != nil {
		return err
	}
	o, hooked, err := b.operations()
	if err != nil {
		return err
	}
	own, err := b.own(hooked)
	if err != nil {
		return err
	}
	if !own {
		err = o.AddRecorder("tracerec", tracerec.Source, hooked)
	} else if hooked {
		err = o.AddRecorder("", tracerec.Source, hooked)
	}
	switch {
	case err != nil:
	case b.a.verb == "test" && own:
		err = b.addToTests(o)
	case b.a.verb == "test":
		o.Add("testing/internal/testdeps/"+imports, "package testdeps\n\n"+importing) // which every test has
	default:
		err = b.addImports(o)
	}
	if err == nil {
		err = b.addRegions(o, r)
	}
	if err == nil {
		b.overlay, err = o.Write(b.dir)
	}
	return err
}

// compiling are the flags that decide what the compiler makes of a package, beside those that decide which there are.
var compiling = words("gcflags trimpath pgo buildmode p")

// addRegions makes functions regions. Coverage counts statements, so then none are inserted.
func (b *Build) addRegions(o *overlay.Overlay, r regions.Options) error {
	a := b.a
	if len(a.those(words("cover covermode coverpkg coverprofile"))) > 0 || a.versioned() {
		return nil
	}
	without := filepath.Join(b.dir, "without")
	if err := os.Mkdir(without, 0o777); err != nil {
		return err
	}
	file, err := o.Write(without)
	if err != nil {
		return err
	}
	flags := slices.DeleteFunc(slices.Concat(resolving, compiling), func(s string) bool { return s == "overlay" })
	b.made = regions.Build{Go: b.t.command, Dir: b.at(""), Chdir: a.chdir(), Flags: a.those(flags),
		Packages: a.packages, Tests: a.verb == "test", Overlay: file, Cache: b.t.GOMODCACHE}
	b.deps = r.Deps
	b.regions, err = regions.Instrument(o, b.made, r)
	if err != nil {
		return fmt.Errorf("%w: %w", errGo, err)
	}
	return nil
}

// at returns the absolute name of a file that the go command is told of.
func (b *Build) at(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	at, err := filepath.Abs(filepath.Join(b.a.value("C"), name))
	if err != nil { // without a working directory there is no package either
		return name
	}
	return at
}

// carriers are packages of the standard library that the recorder does not need, and most programs do. Where a file of the program cannot be
// replaced, because it is in the module cache, they bring the recorder.
var carriers = []string{"context", "flag", "log"}

// addImports adds the recorder to the programs that are to be built.
func (b *Build) addImports(o *overlay.Overlay) error {
	a := b.a
	if a.on("cover") || a.given("covermode") || a.given("coverpkg") { // files of the program cannot be added, but it has this package then
		o.Add("runtime/coverage/"+imports, "package coverage\n\n"+importing)
		return nil
	}
	if len(a.packages) > 0 && strings.HasSuffix(a.packages[0], ".go") {
		file := filepath.Join(filepath.Dir(a.packages[0]), imports)
		a.packages = append(slices.Clone(a.packages), file)
		o.Add(b.at(file), "package main\n\n"+importing)
		return nil
	}
	carried := slices.ContainsFunc(a.packages, func(p string) bool {
		return strings.Contains(p, "@") && !strings.HasPrefix(p, ".") && !filepath.IsAbs(p)
	})
	if !carried {
		mains, err := b.mains()
		if err != nil {
			return err
		}
		for _, main := range mains {
			if beneath(main, b.t.GOMODCACHE) {
				carried = true
			} else {
				o.Add(filepath.Join(main, imports), "package main\n\n"+importing)
			}
		}
	}
	if carried {
		for _, c := range carriers {
			o.Add(filepath.Join(c, imports), "package "+filepath.Base(c)+"\n\n"+importing)
		}
	}
	return nil
}

// resolving are the flags that decide which packages there are.
var resolving = words("mod modfile tags race msan asan installsuffix compiler modcacherw overlay")

// list returns a line for each package, by a template of go list. Packages that do not exist have theirs, too.
func (b *Build) list(template string, packages []string) (lines []string, err error) {
	out, err := b.t.output(slices.Concat([]string{"list"}, b.a.chdir(), []string{"-find", "-e", "-f", template}, b.a.those(resolving), packages)...)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// mains returns the directories of the programs that are to be built.
func (b *Build) mains() (dirs []string, err error) {
	return b.list(`{{if eq .Name "main"}}{{.Dir}}{{end}}`, b.a.packages)
}

// own tells whether the module that is built has the recorder already, because its source uses it. Then that is the one that records.
func (b *Build) own(hooked bool) (bool, error) {
	fits := "instrument/rewritten.go" // the side of the recorder that has to fit what is added
	if hooked {
		fits = "instrument/runtime.go"
	}
	dirs, err := b.list(`{{if and .Module (not .Error)}}{{.Dir}}{{end}}`, []string{"tracerec/instrument"})
	if err != nil || len(dirs) != 1 { // if the module is not in order the go command says so
		return false, nil
	}
	theirs, err := os.ReadFile(filepath.Join(dirs[0], filepath.Base(fits)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	ours, err := tracerec.Source.ReadFile(fits)
	if err == nil && !bytes.Equal(ours, theirs) {
		err = fmt.Errorf("the recorder in %s, which the module requires, is of another version than this tracerec", dirs[0])
	}
	if hooked {
		b.a.addTag(overlay.RuntimeTag)
	}
	return true, err
}

// addToTests adds the recorder to the tests of all packages that have some.
func (b *Build) addToTests(o *overlay.Overlay) error {
	packages, err := b.list(`{{if and (or .TestGoFiles .XTestGoFiles) .Module}}{{.Name}} {{.Dir}}{{end}}`, b.a.packages)
	for _, p := range packages {
		name, dir, _ := strings.Cut(p, " ")
		if !beneath(dir, b.t.GOMODCACHE) {
			o.Add(filepath.Join(dir, "zz_tracerec_test.go"), "package "+name+"_test\n\n"+importing)
		}
	}
	return err
}
