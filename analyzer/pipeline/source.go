package pipeline

import (
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
	source := naming.New(before, dir, archOf(a))
	program := sync.OnceValue(func() *naming.Program { return naming.ReadProgram(programOf(a), before) })
	known, together := map[report.Region]analyzer.ObjectName{}, operationsOf(a)
	return func(operation *report.Region) analyzer.ObjectName {
		if n, ok := known[*operation]; ok {
			return n
		}
		var n analyzer.ObjectName
		switch {
		case isDone(operation):
			n.Text = "ctx.Done()"
		case operation.Name == wire.FDLock:
			n.Text = "a file or connection"
		case source.Has(operation.File):
			of := packageOf(operation.File)
			for _, o := range append(together[of], *operation) {
				n.Text, n.Unique = source.Of(o.Name, o.Func, o.File, o.Line)
				if !isDone(&o) {
					known[o] = n
				}
			}
			delete(together, of)
		default:
			n.Text, n.Unique = program().Of(operation.Name, operation.Func, operation.Line)
		}
		known[*operation] = n
		return n
	}
}

// operationsOf returns the operations on objects that are in an archive, by package: all of one are named while its source is there. It is read again,
// which takes seconds if it is large, whenever another one was read since.
func operationsOf(a *trace.Archive) map[string][]report.Region {
	together := map[string][]report.Region{}
	for _, r := range a.Definitions().Regions {
		if of := packageOf(r.File); naming.Knows(r.Name) {
			together[of] = append(together[of], report.Region{Name: r.Name, Func: r.Func, File: r.File, Line: r.Line, Operation: true})
		}
	}
	return together
}

// packageOf returns the same for all files of a package, and another one for its tests.
func packageOf(file string) string {
	dir := filepath.Dir(file)
	if strings.HasSuffix(file, "_test.go") {
		dir += " test"
	}
	return dir
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
