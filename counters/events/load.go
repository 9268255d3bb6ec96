package events

import (
	"embed"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed data/*.tsv
var files embed.FS

// Directory is the environment variable that names a directory of further tables, NAME.tsv. They win over those of the
// same name or processor that are built in.
const Directory = "TRACEREC_EVENTS"

// known is what has been read. Tables are read when they are asked for.
var known struct {
	sync.Mutex
	tables map[string]*Table // by directory and name
	names  map[CPU]string    // of tables built in; "" is none
}

// Names returns the names of all tables, built in and of [Directory], sorted.
func Names() []string {
	names := list(files, "data")
	if dir := os.Getenv(Directory); dir != "" {
		names = append(names, list(os.DirFS(dir), ".")...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// list returns the names of the tables in a directory, sorted.
func list(in fs.FS, dir string) (names []string) {
	entries, _ := fs.ReadDir(in, dir)
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".tsv"); ok && name != presetFile {
			names = append(names, name)
		}
	}
	return names
}

// For returns the table of a processor, false if there is none, or if it cannot be read ([Named] says why).
func For(c CPU) (*Table, bool) {
	dir := os.Getenv(Directory)
	name := ""
	if dir != "" {
		name = match(list(os.DirFS(dir), "."), c)
	}
	if name == "" {
		known.Lock()
		found, ok := known.names[c]
		known.Unlock()
		if name = found; !ok {
			name = match(list(files, "data"), c)
			known.Lock()
			if known.names == nil {
				known.names = map[CPU]string{}
			}
			known.names[c] = name
			known.Unlock()
		}
	}
	if name == "" {
		return nil, false
	}
	t, err := Named(name)
	return t, err == nil
}

// match returns the first table of a processor, "" if there is none.
func match(names []string, c CPU) string {
	for _, name := range names {
		if top, err := readTop(name); err == nil && slices.ContainsFunc(top.matches, func(m Match) bool { return m.matches(c) }) {
			return name
		}
	}
	return ""
}

// Named returns the table of that name: spr, zen4, power4. The error wraps [fs.ErrNotExist] or [ErrTable].
func Named(name string) (*Table, error) {
	known.Lock()
	defer known.Unlock()
	key := path.Join(os.Getenv(Directory), name)
	if t := known.tables[key]; t != nil {
		return t, nil
	}
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := Parse(name, f)
	if err != nil {
		return nil, err
	}
	if known.tables == nil {
		known.tables = map[string]*Table{}
	}
	known.tables[key] = t
	return t, nil
}

// readTop reads what stands before the events of the table.
func readTop(name string) (Table, error) {
	f, err := open(name)
	if err != nil {
		return Table{}, err
	}
	defer f.Close()
	return parseTop(name, f)
}

// open opens the file of a table, of the user's directory if it is there.
func open(name string) (fs.File, error) {
	if dir := os.Getenv(Directory); dir != "" {
		if f, err := os.DirFS(dir).Open(name + ".tsv"); err == nil {
			return f, nil
		}
	}
	return files.Open(path.Join("data", name+".tsv"))
}
