package build

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// switches and valued are the flags of go build, run and test: those that take no value unless it is joined by =, and those that take one.
// testing lists those that go test hands to the test, which also have names that begin with "test.".
var (
	switches = words("a n race msan asan cover v work x buildvcs linkshared modcacherw trimpath " + rewrite)
	valued   = words("C p covermode coverpkg asmflags buildmode compiler gccgoflags gcflags installsuffix ldflags mod modfile overlay pgo pkgdir tags toolexec " +
		"debug-actiongraph debug-runtime-trace debug-trace")
	switchesOf = map[string][]string{"build": words("json"), "run": words("json"), "test": words("json c")}
	valuedOf   = map[string][]string{"build": words("o"), "run": words("exec"), "test": words("o exec vet")}

	testingSwitches = words("artifacts benchmem failfast fullpath short v")
	testingValued   = words("bench benchtime blockprofile blockprofilerate count coverprofile cpu cpuprofile fuzz fuzzminimizetime fuzztime list memprofile " +
		"memprofilerate mutexprofile mutexprofilefraction outputdir parallel run shuffle skip timeout trace")
)

func words(s string) []string { return strings.Fields(s) }

// kindOf tells whether a flag is known, and whether it takes a value.
func kindOf(verb, name string) (known, takesValue bool) {
	if verb == "test" {
		short := strings.TrimPrefix(name, "test.")
		if slices.Contains(testingSwitches, short) {
			return true, false
		}
		if slices.Contains(testingValued, short) {
			return true, true
		}
	}
	if slices.Contains(valued, name) || slices.Contains(valuedOf[verb], name) {
		return true, true
	}
	return slices.Contains(switches, name) || slices.Contains(switchesOf[verb], name), false
}

// option is a flag of the go command.
type option struct {
	name, value string
	text        []string // as it was given
}

// arguments are those of go build, run or test, taken apart.
type arguments struct {
	verb     string
	flags    []option // those of the go command, in their order
	packages []string // or Go files
	rest     []string // of the program or test; for tests some of them may be behind flags
	before   []string // what was given before the packages,
	after    []string // and behind them, both without what is replaced
}

var errUnknown = errors.New("not a flag that is known")

// split takes the arguments of a command of go apart.
func split(verb string, args []string) (*arguments, error) {
	a := &arguments{verb: verb}
	before, args, err := a.takeFlags(args)
	if err != nil {
		return nil, err
	}
	a.before = before
	switch verb {
	case "test":
		return a, a.splitTest(args)
	case "run":
		n := slices.IndexFunc(args, func(s string) bool { return !strings.HasSuffix(s, ".go") })
		if n < 0 {
			n = len(args)
		}
		n = min(max(n, 1), len(args))
		a.packages, a.rest = args[:n:n], args[n:]
	default:
		a.packages = args
	}
	return a, nil
}

// Among calls take on the flags at the beginning of args, and on those that follow flags of the go command, which it keeps; but
// only take knows what they are, and go test hands those that it does not know to the test.
func Among(verb string, args []string, take func([]string) (rest []string, err error)) (rest []string, err error) {
	a := arguments{verb: verb}
	for {
		if args, err = take(args); err != nil {
			return nil, err
		}
		if len(args) == 0 || !strings.HasPrefix(args[0], "-") || verb == "test" {
			return append(rest, args...), nil
		}
		f, n, err := a.flag(args)
		if err != nil { // the go command says it
			return append(rest, args...), nil
		}
		rest, args = append(rest, f.text...), args[n:]
	}
}

// takeFlags takes the flags at the begin of args, and returns those that stay on the command line, and the rest.
func (a *arguments) takeFlags(args []string) (kept, rest []string, err error) {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && args[0] != "-" && args[0] != "--" {
		f, n, err := a.flag(args)
		if a.verb == "test" && (errors.Is(err, errUnknown) || f.name == "args") {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		if a.add(f) {
			kept = append(kept, f.text...)
		}
		args = args[n:]
	}
	if a.verb != "test" && len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	return kept, args, nil
}

// flag returns the first of args, which is a flag, and of how many arguments it consists.
func (a *arguments) flag(args []string) (f option, n int, err error) {
	f.name, f.value, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[0], "-"), "-"), "=")
	joined := strings.Contains(args[0], "=")
	known, takesValue := kindOf(a.verb, f.name)
	n = 1
	switch {
	case f.name == "args":
	case !known:
		return f, 0, fmt.Errorf("%s is %w", args[0], errUnknown)
	case takesValue && !joined && len(args) < 2:
		return f, 0, fmt.Errorf("flag %s needs a value", args[0])
	case takesValue && !joined:
		n, f.value = 2, args[1]
	case !takesValue && !joined:
		f.value = "true"
	}
	f.text = args[:n:n]
	return f, n, nil
}

// add notes a flag, and tells whether it stays where it is: the others are given anew.
func (a *arguments) add(f option) bool {
	a.flags = append(a.flags, f)
	return !slices.Contains([]string{"C", "overlay", "exec", "vet", "modfile", rewrite}, f.name)
}

// splitTest takes what follows the flags of go test apart, as package cmd/go/internal/test does: packages, then more flags, then arguments
// of the test, which begin at -args, or at the first word that is no value of an unknown flag.
func (a *arguments) splitTest(args []string) error {
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		a.packages, args = append(a.packages, args[0]), args[1:]
	}
	mayBeValue := false
	for len(args) > 0 {
		if !strings.HasPrefix(args[0], "-") || args[0] == "-" || args[0] == "--" {
			if !mayBeValue || args[0] == "--" {
				break
			}
			a.after, args, mayBeValue = append(a.after, args[0]), args[1:], false
			continue
		}
		f, n, err := a.flag(args)
		switch {
		case f.name == "args":
			a.after = append(a.after, args...)
			return nil
		case errors.Is(err, errUnknown):
			a.after, mayBeValue = append(a.after, args[0]), !strings.Contains(args[0], "=")
			args = args[1:]
			continue
		case err != nil:
			return err
		}
		if mayBeValue = false; a.add(f) {
			a.after = append(a.after, f.text...)
		}
		args = args[n:]
	}
	a.after = append(a.after, args...)
	return nil
}

// value returns the value of a flag, "" if it is not given. The last one counts; those of GOFLAGS come first.
func (a *arguments) value(name string) (value string) {
	for _, f := range a.flags {
		if strings.TrimPrefix(f.name, "test.") == name {
			value = f.value
		}
	}
	return value
}

// given tells whether a flag is given.
func (a *arguments) given(name string) bool {
	return slices.ContainsFunc(a.flags, func(f option) bool { return strings.TrimPrefix(f.name, "test.") == name })
}

// on tells whether a flag without value is set.
func (a *arguments) on(name string) bool {
	set, err := strconv.ParseBool(a.value(name))
	return err == nil && set
}

// versioned tells whether a package is one of the module cache, whatever module this is.
func (a *arguments) versioned() bool {
	return slices.ContainsFunc(a.packages, func(p string) bool {
		return strings.Contains(p, "@") && !strings.HasPrefix(p, ".") && !filepath.IsAbs(p)
	})
}

// addTag adds a build tag to those of the user.
func (a *arguments) addTag(tag string) {
	tags := strings.FieldsFunc(a.value("tags"), func(r rune) bool { return r == ',' || r == ' ' })
	text := "-tags=" + strings.Join(append(tags, tag), ",")
	a.flags = append(a.flags, option{"tags", strings.TrimPrefix(text, "-tags="), nil})
	a.before = append(a.before, text)
}

// chdir returns the flag -C, which has to come first.
func (a *arguments) chdir() []string {
	if dir := a.value("C"); dir != "" {
		return []string{"-C", dir}
	}
	return nil
}

// set gives a flag another value.
func (a *arguments) set(name, value string) {
	a.flags = append(a.flags, option{name: name, value: value})
}

// those returns the flags with these names, as arguments.
func (a *arguments) those(names []string) (args []string) {
	for _, f := range a.flags {
		if slices.Contains(names, f.name) {
			args = append(args, "-"+f.name+"="+f.value)
		}
	}
	return args
}

// addEnvironment adds the flags of GOFLAGS that this command has.
func (a *arguments) addEnvironment(goflags string) {
	fields, err := fields(goflags)
	if err != nil {
		return // the go command says it
	}
	var flags []option
	for _, text := range fields {
		if f, _, err := a.flag([]string{text}); err == nil {
			f.text = nil
			flags = append(flags, f)
		}
	}
	a.flags = append(flags, a.flags...)
}

// fields divides a list as the go command does: fields may be quoted.
func fields(s string) (list []string, err error) {
	for {
		s = strings.TrimLeft(s, " \t\n\r")
		if s == "" {
			return list, nil
		}
		if quote := s[0]; quote == '\'' || quote == '"' {
			text, after, found := strings.Cut(s[1:], string(quote))
			if !found {
				return nil, fmt.Errorf("%q is not closed", quote)
			}
			list, s = append(list, text), after
			continue
		}
		end := strings.IndexAny(s, " \t\n\r")
		if end < 0 {
			end = len(s)
		}
		list, s = append(list, s[:end]), s[end:]
	}
}

// quoted is the reverse of fields for one field.
func quoted(s string) (string, error) {
	switch {
	case !strings.ContainsAny(s, " \t\n\r'\"") && s != "":
		return s, nil
	case !strings.Contains(s, "'"):
		return "'" + s + "'", nil
	case !strings.Contains(s, `"`):
		return `"` + s + `"`, nil
	}
	return "", fmt.Errorf("%s: the go command knows no way to write a name with both kinds of quotes", s)
}
