package pipeline

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"tracerec/analyzer"
	"tracerec/internal/naming"
	"tracerec/report"
	"tracerec/trace"
	"tracerec/trace/wire"
)

// namesOf returns what the source of a recorded program calls its locks, channels …, as far as it is here and is what it was; where it
// is not, what the symbols of the program tell.
func namesOf(a *trace.Archive) func(*report.Region) analyzer.ObjectName {
	dir, _ := os.Getwd()
	before := time.Unix(0, a.Header().Start)
	program := sync.OnceValue(func() *naming.Program { return naming.ReadProgram(programOf(a), before) })
	return newNamer(naming.New(before, dir, archOf(a)), program, a.Definitions().Regions).name
}

// namer names what operations work on. It is used by one goroutine at a time.
type namer struct {
	source  *naming.Names
	program func() *naming.Program
	sites   map[string][]report.Region // by directory: those that may be asked about
	names   map[report.Region]analyzer.ObjectName
}

func newNamer(source *naming.Names, program func() *naming.Program, regions []trace.Region) *namer {
	n := &namer{source: source, program: program, sites: map[string][]report.Region{}, names: map[report.Region]analyzer.ObjectName{}}
	for _, r := range regions {
		if naming.Knows(r.Name) {
			dir := filepath.Dir(r.File)
			n.sites[dir] = append(n.sites[dir], report.Region{Name: r.Name, Func: r.Func, File: r.File, Line: r.Line, Operation: true})
		}
	}
	return n
}

// name returns what an operation works on. When it is asked about the first one of a directory, it looks all of them up, package by package: each is read once, and large ones take seconds.
func (n *namer) name(operation *report.Region) analyzer.ObjectName {
	dir := filepath.Dir(operation.File)
	sites := n.sites[dir]
	delete(n.sites, dir)
	slices.SortFunc(sites, func(x, y report.Region) int {
		return cmp.Or(cmp.Compare(n.source.Package(x.File), n.source.Package(y.File)), cmp.Compare(x.File, y.File), cmp.Compare(x.Line, y.Line), cmp.Compare(x.Name, y.Name), cmp.Compare(x.Func, y.Func))
	})
	for i := range sites {
		n.names[sites[i]] = n.find(&sites[i])
	}
	if _, known := n.names[*operation]; !known {
		n.names[*operation] = n.find(operation)
	}
	return n.names[*operation]
}

func (n *namer) find(operation *report.Region) (name analyzer.ObjectName) {
	switch {
	case isDone(operation):
		name.Text = "ctx.Done()"
	case operation.Name == wire.FDLock:
		name.Text = "a file or connection"
	case n.source.Has(operation.File):
		name.Text, name.Unique = n.source.Of(operation.Name, operation.Func, operation.File, operation.Line)
	default:
		name.Text, name.Unique = n.program().Of(operation.Name, operation.Func, operation.Line)
	}
	return name
}

// archOf returns the architecture of the processors on which all recorded processes ran, "" if that is not known.
func archOf(a *trace.Archive) (arch string) {
	for i, p := range a.Definitions().Processes {
		if i > 0 && p.Processor.Arch != arch {
			return ""
		}
		arch = p.Processor.Arch
	}
	return arch
}

// isDone says whether an operation is one of package context on the channel of a context. There it is a variable whose name says nothing.
func isDone(operation *report.Region) bool {
	return strings.HasPrefix(operation.Func, "context.") && slices.Contains([]string{"close", "recv", "select"}, operation.Name)
}

// programOf returns the file of the program that all recorded processes ran, as the command line names it, "" if they ran several.
func programOf(a *trace.Archive) string {
	file := ""
	for _, p := range a.Definitions().Processes {
		if len(p.Args) == 0 || !strings.ContainsRune(p.Args[0], filepath.Separator) || file != "" && file != p.Args[0] {
			return ""
		}
		file = p.Args[0]
	}
	return file
}

// sourceRoots returns the directories below which the source of a program lies: those of its modules as far as they are
// here, for other files the directory. Files whose name is not absolute have none.
func sourceRoots(regions []report.Region) []string {
	byDir := map[string]string{}
	for i := range regions {
		file := filepath.Clean(filepath.FromSlash(regions[i].File))
		if !filepath.IsAbs(file) {
			continue
		}
		dir := filepath.Dir(file)
		if _, seen := byDir[dir]; !seen {
			byDir[dir] = moduleRoot(dir)
		}
	}
	var roots []string
	for _, root := range byDir {
		roots = append(roots, root)
	}
	slices.Sort(roots)
	roots = slices.Compact(roots)
	return slices.DeleteFunc(slices.Clone(roots), func(dir string) bool {
		return slices.ContainsFunc(roots, func(other string) bool { return within(dir, other) })
	})
}

// within says that a directory lies below another.
func within(dir, other string) bool {
	return strings.HasPrefix(dir, strings.TrimSuffix(other, string(filepath.Separator))+string(filepath.Separator))
}

// moduleRoot returns the directory of the module that a directory belongs to, or the directory itself.
func moduleRoot(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if info, err := os.Stat(filepath.Join(at, "go.mod")); err == nil && info.Mode().IsRegular() {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}
