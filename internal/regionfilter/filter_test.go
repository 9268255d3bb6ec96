package regionfilter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"main.f", "main.f", true},
		{"main.f", "main.ff", false},
		{"main.*", "main.f", true},
		{"*", "", true},
		{"", "", true},
		{"", "a", false},
		{"*.go", "/a/b.go/c.go", true}, // a slash and a leading dot are characters as others
		{"/a/*", "/a/.b/c", true},
		{"*b*c", "abcbd", false},
		{"*b*c", "abcbdc", true},
		{"a*b*c*d", "axxbxxcxxc", false},
		{"?at", "cat", true},
		{"?at", "at", false},
		{"[bc]at", "cat", true},
		{"[!bc]at", "cat", false},
		{"[^bc]at", "rat", true},
		{"[a-c]at", "bat", true},
		{"[a-c]at", "dat", false},
		{"[]a]", "]", true}, // first in a set it is no end
		{"[!]a]", "b", true},
		{"[a-]", "-", true},
		{"[a", "[a", true}, // no set
		{`[\]]`, "]", true},
		{`main.\*f`, "main.*f", true},
		{`main.\*f`, "main.xf", false},
		{"main.(*T).M", "main.(*T).M", true},
		{"main.F[...]", "main.F[...]", false},
		{`main.F\[...\]`, "main.F[...]", true},
		{`a\`, `a\`, true},
	} {
		require.Equal(t, c.want, Match(c.pattern, c.name), "%q %q", c.pattern, c.name)
	}
}

// rules are those of the manual of Score-P, with names as Go has them.
func TestExcludes(t *testing.T) {
	const path = "example.org/x/v2/"
	for _, c := range []struct {
		what, filter       string
		excluded, included []string // "name file"
	}{
		{"nothing excludes nothing", "", nil, []string{"x.f a.go"}},
		{"patterns on several lines and blocks", `
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE x.f x.g # and these:
    x.h*
SCOREP_REGION_NAMES_END
SCOREP_REGION_NAMES_BEGIN EXCLUDE x.k SCOREP_REGION_NAMES_END`,
			[]string{"x.f a.go", "x.g a.go", "x.h2 a.go", "x.k a.go"}, []string{"x.ff a.go"}},
		{"later rules win", `
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE *
  INCLUDE x.f*
  EXCLUDE x.foo
SCOREP_REGION_NAMES_END`,
			[]string{"x.g a.go", "x.foo a.go"}, []string{"x.f a.go", "x.fo a.go"}},
		{"a file excluded excludes its regions, whatever these rules say", `
SCOREP_FILE_NAMES_BEGIN
  EXCLUDE */gen/*
  INCLUDE */gen/keep.go
SCOREP_FILE_NAMES_END
SCOREP_REGION_NAMES_BEGIN
  INCLUDE *
SCOREP_REGION_NAMES_END`,
			[]string{"x.f /p/gen/a.go"}, []string{"x.f /p/gen/keep.go", "x.f /p/a.go"}},
		{"a mangled name has the path", `
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE MANGLED example.org/x/v2.f
          example.org/x/v2.g
  EXCLUDE example.org/x/v2.h
SCOREP_REGION_NAMES_END`,
			[]string{"x.f a.go", "x.g a.go"}, []string{"x.h a.go"}},
		{"blanks and hashes behind a backslash", `
SCOREP_REGION_NAMES_BEGIN
  EXCLUDE x.a\ b x.c\#d
SCOREP_REGION_NAMES_END`,
			[]string{"x.c#d a.go"}, []string{"x.a a.go"}},
	} {
		f, err := Read(strings.NewReader(c.filter))
		require.NoError(t, err, c.what)
		excludes := func(of string) bool {
			name, file, _ := strings.Cut(of, " ")
			return f.Excludes(name, strings.TrimSuffix(path, "/")+strings.TrimPrefix(name, "x"), file)
		}
		for _, of := range c.excluded {
			require.True(t, excludes(of), "%s: %s", c.what, of)
		}
		for _, of := range c.included {
			require.False(t, excludes(of), "%s: %s", c.what, of)
		}
	}
}

func TestCheck(t *testing.T) {
	for pattern, fine := range map[string]bool{
		"": true, "main.*": true, "[a-c]x[]]": true, `F\[...\]`: true, `a\`: true, "]": true, "F[...]": true,
		"[": false, "F[*": false, "[]": false, "[!]": false, `[a\]`: false, "[a][": false,
	} {
		require.Equal(t, fine, Check(pattern) == nil, pattern)
	}
}

func TestReadRefuses(t *testing.T) {
	for filter, want := range map[string]string{
		"EXCLUDE x":                     `line 1: "EXCLUDE" is not expected here`,
		"x":                             `line 1: "x" is not expected here`,
		"\nSCOREP_REGION_NAMES_BEGIN x": `line 2: "x" is not expected here`,
		"SCOREP_REGION_NAMES_BEGIN":     `line 1: SCOREP_REGION_NAMES_END is missing`,
		"SCOREP_REGION_NAMES_BEGIN SCOREP_FILE_NAMES_END":               `line 1: "SCOREP_FILE_NAMES_END" is not expected here`,
		"SCOREP_REGION_NAMES_BEGIN MANGLED":                             `line 1: "MANGLED" is not expected here`,
		"SCOREP_REGION_NAMES_BEGIN\nEXCLUDE a[ SCOREP_REGION_NAMES_END": `line 2: pattern "a[": no ] ends the [; \[ is the character itself`,
		"SCOREP_REGION_NAMES_END":                                       `line 1: "SCOREP_REGION_NAMES_END" is not expected here`,
		"SCOREP_FILE_NAMES_BEGIN EXCLUDE SCOREP_FILE_NAMES_BEGIN":       `line 1: "SCOREP_FILE_NAMES_BEGIN" is not expected here`,
	} {
		_, err := Read(strings.NewReader(filter))
		require.EqualError(t, err, want, filter)
	}
}

// FuzzRead searches for filters that cannot be read again as they were written, and names that their literal does not match.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"", "# nothing", "SCOREP_REGION_NAMES_BEGIN EXCLUDE a*b?[c-d] INCLUDE MANGLED x/y.(\\*T).M SCOREP_REGION_NAMES_END",
		"SCOREP_FILE_NAMES_BEGIN\nEXCLUDE *\nINCLUDE a\\ b \\# c\\\nSCOREP_FILE_NAMES_END", "SCOREP_REGION_NAMES_BEGIN EXCLUDE [!a-\\]]* [] DEMANGLED [ SCOREP_REGION_NAMES_END",
	} {
		f.Add(seed, "main.f")
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		if !strings.ContainsAny(name, "\n\r\v\f") && name != "" {
			require.True(t, Match(Literal(name), name))
			require.Equal(t, []string{Literal(name)}, words(Literal(name)))
		}
		filter, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		filter.Excludes(name, "example.org/"+name, "/a/"+name)
		var b strings.Builder
		_, err = filter.WriteTo(&b)
		require.NoError(t, err)
		again, err := Read(strings.NewReader(b.String()))
		require.NoError(t, err, b.String())
		require.Equal(t, filter, again)
	})
}
