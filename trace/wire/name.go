package wire

import "strings"

// ShortName returns the name of a function without the path of its package, as pprof does: example.org/ants/v2.(*Pool).run is
// ants.(*Pool).run.
func ShortName(name string) string {
	path, function := "", name
	if end := strings.IndexAny(name, "[("); end >= 0 { // types in brackets have paths, too
		function = name[:end]
	}
	if i := strings.LastIndexByte(function, '/'); i >= 0 {
		path, name = name[:i], name[i+1:]
	}
	element, rest, ok := strings.Cut(name, ".")
	if path == "" || !ok || len(element) < 2 || element[0] != 'v' || strings.Trim(element[1:], "0123456789") != "" {
		return name
	}
	return path[strings.LastIndexByte(path, '/')+1:] + "." + rest // a version of a module
}
