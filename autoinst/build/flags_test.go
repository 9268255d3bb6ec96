package build

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSplit(t *testing.T) {
	type want struct{ before, packages, rest, after string }
	for line, w := range map[string]want{
		"build":                                        {},
		"build -o app -race ./cmd/app ./other":         {before: "-o app -race", packages: "./cmd/app ./other"},
		"build -C dir -overlay=f.json -v .":            {before: "-v", packages: "."},
		"build --tags a,b -ldflags=-s -- .":            {before: "--tags a,b -ldflags=-s", packages: "."},
		"build -buildvcs -race=false .":                {before: "-buildvcs -race=false", packages: "."},
		"run . -x -o y":                                {packages: ".", rest: "-x -o y"},
		"run -exec time a.go b.go c d.go":              {packages: "a.go b.go", rest: "c d.go"},
		"run -tags x":                                  {before: "-tags x"},
		"test":                                         {},
		"test -run A ./a ./b -v -count 2":              {before: "-run A", packages: "./a ./b", after: "-v -count 2"},
		"test -test.run=A . -vet off -exec=x y z":      {before: "-test.run=A", packages: ".", after: "y z"},
		"test ./a -args ./b -vet=off":                  {packages: "./a", after: "-args ./b -vet=off"},
		"test ./a -unknown value -v ./b -short":        {packages: "./a", after: "-unknown value -v ./b -short"},
		"test -unknown=1 ./a":                          {after: "-unknown=1 ./a"},
		"test -bench . -benchtime 10x -json -c -o x .": {before: "-bench . -benchtime 10x -json -c -o x", packages: "."},
		"test a_test.go -- -x":                         {packages: "a_test.go", after: "-- -x"},
	} {
		words := strings.Fields(line)
		a, err := split(words[0], words[1:])
		require.NoError(t, err, line)
		join := func(s []string) string { return strings.Join(s, " ") }
		require.Equal(t, w, want{join(a.before), join(a.packages), join(a.rest), join(a.after)}, line)
	}
	for _, line := range []string{"build -o", "run -bogus .", "test -run", "test . -run", "build -exec x ."} {
		words := strings.Fields(line)
		_, err := split(words[0], words[1:])
		require.Error(t, err, line)
	}
}

// TestAmong: flags of others stand anywhere before the package, where go could not mean them; what follows the package is the program's.
func TestAmong(t *testing.T) {
	for line, want := range map[string]string{
		"run -o -race -o -tags -o . -o":      "-race -tags -o . -o | 2",
		"run -bogus -o .":                    "-bogus -o . | 0",
		"run -race -- -o .":                  "-race -- -o . | 0",
		"run":                                " | 0",
		"build -v -o -o -ldflags -o -x .":    "-v -o -o -ldflags -o -x . | 0",
		"test -o -race -o .":                 "-race -o . | 1",
		"run -race -o -C dir -o -exec x - a": "-race -C dir -exec x - a | 2",
	} {
		words, taken := strings.Fields(line), 0
		rest, err := Among(words[0], words[1:], func(args []string) ([]string, error) {
			for len(args) > 0 && args[0] == "-o" && words[0] != "build" {
				args, taken = args[1:], taken+1
			}
			return args, nil
		})
		require.NoError(t, err)
		require.Equal(t, want, strings.Join(rest, " ")+" | "+strconv.Itoa(taken), line)
	}
	_, err := Among("run", words("-race -o"), func(args []string) ([]string, error) {
		if args[0] == "-o" {
			return nil, errUnknown
		}
		return args, nil
	})
	require.ErrorIs(t, err, errUnknown)
}

// What is given last counts, and what is on the command line more than GOFLAGS.
func TestValues(t *testing.T) {
	a, err := split("test", words("-run A -race -test.run=B -cover=0 -C dir ."))
	require.NoError(t, err)
	a.addEnvironment(`-race=0 '-overlay=a b.json' -cover -modcacherw -notest=1 "-exec=x 'y z'"`)
	require.Equal(t, "B", a.value("run"))
	require.True(t, a.on("race"))
	require.False(t, a.on("cover"))
	require.Equal(t, "a b.json", a.value("overlay"))
	require.Equal(t, []string{"-C", "dir"}, a.chdir())
	list, err := fields(a.value("exec"))
	require.NoError(t, err)
	require.Equal(t, []string{"x", "y z"}, list)
	a.addTag("more")
	require.Equal(t, "more", a.value("tags"))
	a.addTag("again")
	require.Equal(t, "more,again", a.value("tags"))
}

func TestQuoted(t *testing.T) {
	for _, s := range []string{"a", "a b", `it's`, `"a" b`, ""} {
		q, err := quoted(s)
		require.NoError(t, err)
		list, err := fields(" x " + q + "\t")
		require.NoError(t, err)
		require.Equal(t, []string{"x", s}, list)
	}
	_, err := quoted(`'"`)
	require.Error(t, err)
	_, err = fields(`a 'b`)
	require.Error(t, err)
}

// described is a line of the go command's help about a flag, with its value if it takes one.
var described = regexp.MustCompile(`(?m)^\t-([a-z]+)(?: (\S.*))?$`)

// The flags are those that the go command describes.
func TestFlagsAreThoseOfGo(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	n := 0
	for topic, verbs := range map[string][]string{"build": {"build", "run", "test"}, "testflag": {"test"}, "test": {"test"}} {
		text, err := exec.Command("go", "help", topic).Output()
		require.NoError(t, err)
		for _, m := range described.FindAllStringSubmatch(string(text), -1) {
			for _, verb := range verbs {
				if m[1] == "args" || m[1] == "json" && verb == "test" {
					continue
				}
				known, takesValue := kindOf(verb, m[1])
				require.True(t, known, "go %s -%s", verb, m[1])
				require.Equal(t, m[2] != "", takesValue, "go %s -%s", verb, m[1])
				n++
			}
		}
	}
	require.Greater(t, n, 100)
}

// Versions of the go command print problems with or without lines that name the package.
func TestProblems(t *testing.T) {
	require.Empty(t, problems("{}\n# example.com/a\n{}\n"))
	require.Empty(t, problems("# example.com/a\nvet: a.go:1:2: undefined: x\n"))
	require.Equal(t, map[string]bool{"example.com/a": true, "example.com/b_test": true}, problems(`# example.com/a
# [example.com/a]
{
	"example.com/a [example.com/a.test]": {
		"printf": [
			{"posn": "a.go:1:2", "message": "wrong"}
		]
	}
}
{
	"example.com/b_test": {"bools": [{}]},
	"example.com/c": {"printf": {"error": "as planned"}}
}
`))
}
