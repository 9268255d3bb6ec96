package regions

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"tracerec"
	"tracerec/internal/regionfilter"
)

// pkg is a package as go list describes it.
type pkg struct {
	Dir, ImportPath, Name, ForTest string
	Goroot                         bool
	Module                         *struct {
		Path string
		Main bool
	}
	GoFiles, CgoFiles, Imports []string
	ImportMap                  map[string]string
	Export                     string // file of what is exported, if go list was asked to compile

	EmbedFiles, TestEmbedFiles, XTestEmbedFiles []string
}

// list asks for the packages of a build, with all that they import.
func (b *Build) list(flags ...string) (all []*pkg, err error) {
	args := append(flags, "-e", "-deps", "-json=Dir,ImportPath,Name,ForTest,Goroot,Module,GoFiles,CgoFiles,Imports,ImportMap,Export,EmbedFiles,TestEmbedFiles,XTestEmbedFiles")
	if b.Tests {
		args = append(args, "-test")
	}
	out, err := b.golist(args).Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", said(err))
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &pkg{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, p)
	}
}

// golist returns a go list command.
func (b *Build) golist(args []string) *exec.Cmd {
	return b.Go(slices.Concat([]string{"list"}, b.Chdir, b.Flags, args, []string{"-overlay", b.Overlay}, b.Packages)...)
}

// said is an error with what the command said last.
func said(err error) error {
	if exit, ok := err.(*exec.ExitError); ok && len(exit.Stderr) > 0 {
		return errors.New(strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}

// chosen tells whether functions of the package may become regions.
func (p *pkg) chosen(deps []string) bool {
	if strings.HasSuffix(p.ImportPath, ".test") && p.Name == "main" {
		return false // the go command writes it
	}
	if _, err := fs.Stat(tracerec.Source, strings.TrimPrefix(p.path(), "tracerec/")); err == nil {
		return false // the recorder is not recorded
	}
	return p.Module == nil || p.Module.Main || Matches(deps, p.path())
}

// Matches tells whether one of the patterns of Options.Deps is that of an import path. All are called "all", as by the go command.
func Matches(deps []string, path string) bool {
	return slices.ContainsFunc(deps, func(pattern string) bool {
		return pattern == "all" || regionfilter.Match(pattern, path) || strings.HasSuffix(pattern, "/...") && strings.HasPrefix(path+"/", strings.TrimSuffix(pattern, "..."))
	})
}

// within tells whether a file is in a directory.
func within(name, dir string) bool {
	below, err := filepath.Rel(dir, name)
	return dir != "" && err == nil && filepath.IsLocal(below)
}

// path is the import path without what go list adds to that of a variant for tests.
func (p *pkg) path() string {
	path, _, _ := strings.Cut(p.ImportPath, " ")
	return path
}

// symbol is what the names of functions of the package begin with in a program.
func (p *pkg) symbol() string {
	path := p.path()
	if p.Name == "main" {
		return "main"
	}
	slash := strings.LastIndexByte(path, '/') + 1
	return path[:slash] + strings.ReplaceAll(path[slash:], ".", "%2e")
}

// embedded returns the files that packages embed. The go command takes their text from an overlay, too.
func embedded(all []*pkg) map[string]bool {
	files := map[string]bool{}
	for _, p := range all {
		for _, name := range slices.Concat(p.EmbedFiles, p.TestEmbedFiles, p.XTestEmbedFiles) {
			files[filepath.Join(p.Dir, name)] = true
		}
	}
	return files
}

func (p *pkg) files() (names []string) {
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		names = append(names, name)
	}
	return names
}

// verdicts asks the compiler which functions of packages it would inline. It compiles them, without what Instrument inserts; for packages that were
// compiled so before, the go command says it again. It returns those that do not build as well.
func (b *Build) verdicts(of []*pkg) (inlined map[place]bool, broken map[string]bool, err error) {
	args := []string{"-e", "-deps", "-export", "-f", "{{if .Error}}{{.ImportPath}}{{end}}"}
	if b.Tests {
		args = append(args, "-test")
	}
	paths := map[string]bool{}
	for _, p := range of {
		if at := p.path(); !paths[at] {
			paths[at] = true
			args = append(args, "-gcflags="+at+"="+strings.TrimSpace(given(b.Flags, at)+" -m"))
		}
	}
	cmd := b.golist(args)
	var failed bytes.Buffer
	cmd.Stdout = &failed
	said, err := cmd.StderrPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	inlined, broken = b.read(said, of), map[string]bool{}
	_ = cmd.Wait() // what is wrong the build will say
	for line := range strings.Lines(failed.String()) {
		broken[(&pkg{ImportPath: strings.TrimSpace(line)}).path()] = true
	}
	return inlined, broken, nil
}

// given returns which flags of the compiler the user gives for a package: the last that match it.
func given(flags []string, path string) (args string) {
	for i, f := range flags {
		name, value, joined := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if name != "gcflags" || !strings.HasPrefix(f, "-") {
			continue
		}
		if !joined && i+1 < len(flags) {
			value = flags[i+1]
		}
		pattern, rest, qualified := strings.Cut(value, "=")
		switch {
		case !qualified || strings.HasPrefix(value, "-"): // for the packages that are named, which these mostly are
			args = value
		case pattern == "all", pattern == path, strings.HasSuffix(pattern, "...") && strings.HasPrefix(path+"/", strings.TrimSuffix(pattern, "...")):
			args = rest
		}
	}
	return args
}

// canInline is what the compiler says of a function that it would inline. Most commands do not ask.
var canInline = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+?):([0-9]+)(?::([0-9]+))?: can inline (.*?)(?: with cost .*)?$`)
})

// version is that of a module in the name of a file.
var version = regexp.MustCompile(`@[^/]*`)

// literal is in the names of function literals.
var literal = regexp.MustCompile(`\.func[0-9]+(\.|$)`)

// resolve returns the file of which the compiler speaks where it calls a directory something. What the go command says again is relative to where it was when it compiled, which
// it does not tell.
func (b *Build) resolve(name, dir, called string) string {
	if below, err := filepath.Rel(called, name); err == nil && dir != "" && called != "" {
		return filepath.Join(dir, below)
	}
	return filepath.Join(b.Dir, name)
}

// read reads what the compiler says. Functions with type parameters are compiled by shapes of these.
func (b *Build) read(r io.Reader, of []*pkg) map[place]bool {
	dirs := map[string]string{} // with -trimpath, files have the names of packages
	for _, p := range of {
		dirs[p.path()] = p.Dir
	}
	inlined := map[place]bool{}
	here, from := "", "" // directory of the package of which the compiler speaks, and what that is called
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name, is := strings.CutPrefix(lines.Text(), "# "); is {
			here, from = dirs[(&pkg{ImportPath: name}).path()], ""
		}
		m := canInline().FindStringSubmatch(lines.Text())
		if m == nil || strings.Contains(m[4], "wrap") && (strings.Contains(m[4], ".deferwrap") || strings.Contains(m[4], ".gowrap")) ||
			strings.Contains(m[4], "[") && !strings.Contains(m[4], "[go.shape.") {
			continue
		}
		at := place{file: m[1]}
		if dir := dirs[version.ReplaceAllString(path.Dir(at.file), "")]; dir != "" {
			at.file = filepath.Join(dir, path.Base(at.file))
		} else if !filepath.IsAbs(at.file) {
			if from == "" && !strings.Contains(m[4], "[") { // a function of the package itself
				from = filepath.Dir(at.file)
			}
			at.file = b.resolve(at.file, here, from)
		}
		at.line, _ = strconv.Atoi(m[2])
		if literal.MatchString(m[4]) {
			at.column = columns
			if m[3] != "" {
				at.column, _ = strconv.Atoi(m[3])
			}
		}
		inlined[at] = true
	}
	_, _ = io.Copy(io.Discard, r) // so that the command ends
	return inlined
}
