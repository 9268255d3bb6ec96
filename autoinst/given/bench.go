package given

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// perProcess are flags of tests for files that a second process would write again.
var perProcess = strings.Fields("cpuprofile memprofile blockprofile mutexprofile trace coverprofile gocoverdir")

// benchmarks runs the tests, and then each benchmark in a process of its own, which is recorded into an archive of its own. Together they print
// what one process would print.
func (r *run) benchmarks(pattern string) (status int, err error) {
	if slices.ContainsFunc(perProcess, func(name string) bool { return argument(r.args, name) != "" }) {
		return r.recorded("", r.args, os.Stdout)
	}
	names, err := r.names()
	if err != nil {
		return notRun, err
	}
	out := &output{to: os.Stdout, printed: map[string]bool{}}
	defer out.end()
	tests := matching(argument(r.args, "run"), names)
	if slices.ContainsFunc(tests, func(t test) bool { return !strings.HasPrefix(t.name, "Benchmark") }) {
		if status, err = r.through(out, "", with(r.args, "bench", "^$")); status != 0 || err != nil {
			return status, err
		}
	}
	for _, t := range matching(pattern, names) {
		if !strings.HasPrefix(t.name, "Benchmark") {
			continue
		}
		s, err := r.through(out, t.name, with(with(r.args, "run", "^$"), "bench", t.pattern))
		if status = max(status, s); err != nil || out.held == "" { // it did not end by itself
			return status, err
		}
	}
	if out.held == "" { // nothing matched
		return r.recorded("", r.args, os.Stdout)
	}
	return status, nil
}

// names returns the names of the tests, benchmarks and so on.
func (r *run) names() (names []string, err error) {
	list := exec.Command(r.program[0], append(slices.Clone(r.program[1:]), "-test.list=.")...)
	out, err := list.Output()
	for line := range strings.Lines(string(out)) {
		names = append(names, strings.TrimSpace(line))
	}
	return names, err
}

// with returns the arguments with another value of a flag of package testing.
func with(args []string, name, value string) []string {
	flag := "-test." + name + "="
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, flag) })
	return append([]string{flag + value}, args...)
}

// test is a test or benchmark with the pattern for it and those of its parts that are to run.
type test struct{ name, pattern string }

// matching returns those that a pattern of go test chooses.
func matching(pattern string, names []string) (tests []test) {
	for _, name := range names {
		var parts []string
		for _, alternative := range divide(pattern, '|') {
			elements := divide(alternative, '/')
			if first, err := regexp.Compile(elements[0]); err == nil && first.MatchString(name) {
				parts = append(parts, strings.Join(append([]string{"^" + name + "$"}, elements[1:]...), "/"))
			}
		}
		if parts != nil {
			tests = append(tests, test{name, strings.Join(parts, "|")})
		}
	}
	return tests
}

// divide divides a pattern at a character that is neither in brackets nor in parentheses, as package testing does.
func divide(pattern string, at byte) (parts []string) {
	brackets, parentheses, begin := 0, 0, 0
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case c == '[':
			brackets++
		case c == ']':
			brackets = max(0, brackets-1)
		case brackets > 0:
		case c == '(':
			parentheses++
		case c == ')':
			parentheses--
		case c == at && parentheses == 0:
			parts, begin = append(parts, pattern[begin:i]), i+1
		}
	}
	return append(parts, pattern[begin:])
}

// through records with its standard output through out.
func (r *run) through(out *output, benchmark string, args []string) (status int, err error) {
	from, to, err := os.Pipe()
	if err != nil {
		return notRun, err
	}
	done := make(chan struct{})
	go func() {
		out.copy(from)
		close(done)
	}()
	status, err = r.recorded(benchmark, args, to)
	to.Close()
	<-done
	return status, err
}

// output makes the outputs of several processes that of one: what all of them print at the begin and at the end is printed once.
type output struct {
	to      io.Writer
	printed map[string]bool // lines about the machine
	held    string          // the last line, if it is the result
	failed  bool            // that said FAIL
}

// copy copies the output of one process.
func (o *output) copy(from io.Reader) {
	o.held = ""
	for in := bufio.NewReader(from); ; {
		line, err := in.ReadString('\n')
		if err != nil && line == "" {
			return
		}
		switch text := strings.TrimPrefix(line, "\x16"); {
		case text == "PASS\n", text == "FAIL\n":
			io.WriteString(o.to, o.held)
			o.held, o.failed = line, o.failed || text == "FAIL\n"
			continue
		case aboutMachine(text):
			if o.printed[text] {
				continue
			}
			o.printed[text] = true
		}
		io.WriteString(o.to, o.held+line)
		o.held = ""
	}
}

// aboutMachine tells whether a line is one of those with which benchmarks begin.
func aboutMachine(line string) bool {
	name, _, found := strings.Cut(line, ": ")
	return found && slices.Contains([]string{"goos", "goarch", "pkg", "cpu"}, name)
}

// end prints the result of all.
func (o *output) end() {
	if o.failed {
		o.held = strings.Replace(o.held, "PASS", "FAIL", 1)
	}
	io.WriteString(o.to, o.held)
}
