package wire

import "strings"

// ShortName returns the name of a function without the path of its package, as pprof does: example.org/ants/v2.(*Pool).run is
// ants.(*Pool).run. Dots of the last element of the path, which linkers escape, are dots: gopkg.in/tomb%2ev2.(*Tomb).run is tomb.v2.(*Tomb).run.
func ShortName(name string) string {
	path, name := split(name)
	element, rest, ok := strings.Cut(name, ".")
	if !ok {
		return name
	}
	if path == "" || len(element) < 2 || element[0] != 'v' || strings.Trim(element[1:], "0123456789") != "" {
		return unescape(element) + "." + rest
	}
	return path[strings.LastIndexByte(path, '/')+1:] + "." + rest // a version of a module
}

// Written returns the name of the function around a go or defer statement if the compiler made a function of what it calls, else the name itself.
func Written(name string) string {
	i := strings.LastIndexByte(name, '.') + 1
	if last := strings.TrimRight(name[i:], "0123456789"); last == "gowrap" || last == "deferwrap" {
		return name[:i-1]
	}
	return name
}

// GoStatement ends the name of a goroutine that a go statement began with the value of a variable; before it stands the function with that statement.
const GoStatement = " (go)"

// GoWrapper says whether a function is one that the compiler made for a go statement.
func GoWrapper(name string) bool { return strings.Contains(name, ".gowrap") && Written(name) != name }

// Package returns the import path of a function's package, "" if its name has none.
func Package(function string) string {
	path, name := split(function)
	element, _, ok := strings.Cut(name, ".")
	switch {
	case !ok:
		return ""
	case path == "":
		return unescape(element)
	}
	return path + "/" + unescape(element)
}

// Profiles says whether a function, of net/http/pprof, serves profiles and traces of the program itself.
func Profiles(function string) bool { return strings.HasPrefix(function, "net/http/pprof.") }

// split divides the name of a function behind the last slash of its package.
func split(name string) (path, rest string) {
	function := name
	if end := strings.IndexAny(name, "[("); end >= 0 { // types in brackets have paths, too
		function = name[:end]
	}
	if i := strings.LastIndexByte(function, '/'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return "", name
}

func unescape(element string) string { return strings.ReplaceAll(element, "%2e", ".") }
