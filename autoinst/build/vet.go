package build

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
)

// test runs go test. That would vet the packages as well, which fails where directories only exist in an overlay: so the packages are vetted
// as they are first, and go test itself says what is wrong with those that do not pass, before it tests the others.
func (b *Build) test(added []string, stdout, stderr io.Writer) (status int, err error) {
	a := b.a
	packages := a.packages
	status, passing, failing, err := b.vet()
	if err != nil || b.t.interrupted {
		return status, err
	}
	if failing != nil {
		flags := a.those([]string{"vet", "overlay", "exec"})
		if status, err = b.t.run(stdout, stderr, a.line(flags, *failing)...); err != nil || b.t.interrupted || len(passing) == 0 {
			return status, err
		}
		packages = passing
	}
	other, err := b.t.run(stdout, stderr, a.line(slices.Concat(added, []string{"-vet=off", "-count=1"}), packages)...)
	return max(status, other), err
}

// vetted are the checks that go test makes if it is not told which.
var vetted = words("atomic bool buildtags directive errorsas ifaceassert nilfunc printf slog stringintconv tests")

// vet returns the packages that do not pass the checks that go test would make, nil if all do, and the others then; and the exit status of go vet.
func (b *Build) vet() (status int, passing []string, failing *[]string, err error) {
	a := b.a
	checks := vetted
	switch list := a.value("vet"); list {
	case "":
	case "off":
		return 0, nil, nil, nil
	case "all":
		checks = nil
	default:
		checks = strings.Split(list, ",")
	}
	flags := []string{"vet"}
	flags = append(flags, a.chdir()...)
	flags = append(flags, "-json")
	for _, c := range checks {
		flags = append(flags, "-"+c)
	}
	flags = append(flags, a.those(append(words("p buildmode gcflags ldflags asmflags toolexec trimpath pgo"), resolving...))...)
	var out bytes.Buffer
	if status, err = b.t.run(&out, &out, append(flags, a.packages...)...); err != nil || b.t.interrupted { // what does not compile go test will say
		return status, nil, nil, err
	}
	found := problems(out.String())
	if len(found) == 0 {
		return status, nil, nil, nil
	}
	if len(a.packages) == 0 || strings.HasSuffix(a.packages[0], ".go") {
		return status, nil, &a.packages, nil
	}
	list, err := b.t.output(slices.Concat([]string{"list"}, a.chdir(), []string{"-e"}, a.those(resolving), a.packages)...)
	if err != nil {
		return status, nil, nil, err
	}
	failing = new([]string)
	for name := range strings.Lines(string(list)) {
		if name = strings.TrimSpace(name); found[name] || found[name+"_test"] {
			*failing = append(*failing, name)
		} else {
			passing = append(passing, name)
		}
	}
	return status, passing, failing, nil
}

// commented are the lines of go vet -json that are not JSON.
var commented = regexp.MustCompile(`(?m)^(#|go:|vet:).*\n`)

// problems returns the packages in which go vet -json found something. Those of external tests have names of their own.
func problems(text string) map[string]bool {
	found := map[string]bool{}
	d := json.NewDecoder(strings.NewReader(commented.ReplaceAllString(text, "")))
	for {
		var packages map[string]map[string]json.RawMessage
		if d.Decode(&packages) != nil {
			return found
		}
		for name, checks := range packages {
			for _, list := range checks {
				if bytes.HasPrefix(list, []byte("[")) {
					name, _, _ = strings.Cut(name, " [")
					found[name] = true
				}
			}
		}
	}
}
