package naming

import (
	"bufio"
	"go/ast"
	"go/build"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// local returns where a file of the recorded program is here, "" if that is not known. Programs that are built with -trimpath name their
// files by module: those with a version are in the module cache, others may be of the module that somebody works in.
func (n *Names) local(file string) string {
	file = filepath.FromSlash(file)
	if filepath.Ext(file) != ".go" {
		return ""
	}
	if filepath.IsAbs(file) {
		return filepath.Clean(file)
	}
	if !filepath.IsLocal(file) {
		return ""
	}
	file = filepath.Clean(file)
	if at := strings.IndexByte(file, '@'); at >= 0 {
		rest := strings.IndexByte(file[at:], filepath.Separator)
		if rest < 0 || n.cache == "" {
			return ""
		}
		return filepath.Join(n.cache, escape(file[:at+rest]), file[at+rest:])
	}
	if rest, ok := strings.CutPrefix(file, filepath.FromSlash(n.module)+string(filepath.Separator)); ok && n.module != "" {
		return filepath.Join(n.dir, rest)
	}
	return ""
}

// escape writes a module's path and version as the module cache does: capital letters as small ones behind a !.
func escape(path string) string {
	var b strings.Builder
	for _, r := range path {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
			r = unicode.ToLower(r)
		}
		b.WriteRune(r)
	}
	return b.String()
}

// moduleCache returns the directory of the module cache, "" if there is none.
func moduleCache() string {
	if dir := os.Getenv("GOMODCACHE"); filepath.IsAbs(dir) {
		return dir
	}
	if list := filepath.SplitList(build.Default.GOPATH); len(list) > 0 && filepath.IsAbs(list[0]) {
		return filepath.Join(list[0], "pkg", "mod")
	}
	return ""
}

// moduleOf returns the path and the directory of the module that a directory belongs to, "" if to none.
func moduleOf(dir string) (module, root string) {
	for at := dir; filepath.IsAbs(at); at = filepath.Dir(at) {
		if f, err := os.Open(filepath.Join(at, "go.mod")); err == nil {
			defer f.Close()
			for lines := bufio.NewScanner(f); lines.Scan(); {
				if words := strings.Fields(lines.Text()); len(words) > 1 && words[0] == "module" {
					return strings.Trim(words[1], "\"`"), at
				}
			}
			return "", ""
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return "", ""
}

// isIn says whether a line may lie in a function as the program calls it, such as main.(*DB).Get.func1: it cannot where the source has
// another function in that line. A closure that was inlined has the names of both functions.
func (s *source) isIn(f *ast.File, line int, function string) bool {
	if function == "" {
		return true
	}
	declared := ""
	for _, d := range f.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && s.line(d.Pos()) <= line && line <= s.line(d.End()) {
			declared = d.Name.Name
		}
	}
	if declared == "" {
		return true // of a variable's initial value
	}
	for _, element := range elements(function) {
		if element == declared {
			return true
		}
	}
	return false
}

// elements returns the names that a function's name is made of, without the package and types' arguments.
func elements(function string) []string {
	name := withoutArguments(function)
	_, name, _ = strings.Cut(name[strings.LastIndexByte(name, '/')+1:], ".") // its package
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(".()*-", r) })
}
