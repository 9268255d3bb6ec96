package build

import (
	"errors"
	"slices"
	"strings"
)

// arguments are those of go build, run and test, taken apart.
type arguments struct {
	dir      []string // -C and its directory: comes first
	flags    []string // others of the go command
	overlay  string   // the user's own, "" if none
	packages []string // or Go files
	rest     []string // of the program or test
}

// switches are the flags of go build, run and test that take no value. All others do.
var switches = []string{"a", "n", "race", "msan", "asan", "cover", "v", "work", "x", "linkshared", "modcacherw", "trimpath", "json",
	"c", "i", "short", "failfast", "fullpath", "benchmem", "artifacts"}

// split takes the arguments of a command of go apart.
func split(verb string, args []string) (a arguments, err error) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" {
		name, _, joined := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[0], "-"), "-"), "=")
		if name == "args" {
			break
		}
		n := 1
		if !joined && !slices.Contains(switches, name) {
			n = 2
		}
		if len(args) < n {
			return a, errors.New("flag " + args[0] + " needs a value")
		}
		switch name {
		case "C":
			if len(a.dir)+len(a.flags) > 0 || a.overlay != "" {
				return a, errors.New("-C has to be the first flag")
			}
			a.dir = args[:n:n]
		case "overlay":
			_, a.overlay, _ = strings.Cut(args[n-1], "=")
			if n == 2 {
				a.overlay = args[1]
			}
		default:
			a.flags = append(a.flags, args[:n]...)
		}
		args = args[n:]
	}
	end := len(args)
	switch verb {
	case "run":
		end = slices.IndexFunc(args, func(s string) bool { return !strings.HasSuffix(s, ".go") })
		if end == 0 {
			end = 1
		}
	case "test":
		end = slices.IndexFunc(args, func(s string) bool { return strings.HasPrefix(s, "-") })
	}
	if end < 0 {
		end = len(args)
	}
	end = min(end, len(args))
	a.packages, a.rest = args[:end:end], args[end:]
	return a, nil
}
