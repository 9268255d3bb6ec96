package require_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	. "tracerec/internal/require"
)

// watched notes what a test would say, and whether it ended.
type watched struct {
	said  string
	ended bool
}

func (*watched) Helper()                             {}
func (w *watched) Errorf(format string, args ...any) { w.said += fmt.Sprintf(format, args...) }
func (w *watched) FailNow() {
	w.ended = true
	runtime.Goexit()
}

// watch returns what is wrong with an assertion, "" if it holds.
func watch(t *testing.T, check func(t TestingT)) string {
	var w watched
	done := make(chan struct{})
	go func() {
		defer close(done)
		check(&w)
	}()
	<-done
	if w.ended != (w.said != "") {
		t.Fatalf("said %q, ended: %t", w.said, w.ended)
	}
	return w.said
}

type name string

// What holds and what does not, in pairs of which each assertion has the first, and its opposite, if there is one, the second.
func TestAssertions(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	wrapped := fmt.Errorf("no: %w", io.EOF)
	path := &fs.PathError{Op: "open", Path: "x", Err: io.EOF}
	one, other := new(int), new(int)
	now, nan, inf := time.Now(), math.NaN(), math.Inf(1)
	var none *int
	for text, c := range map[string]struct{ holds, fails []func(t TestingT) }{
		"errors": {
			[]func(t TestingT){
				func(t TestingT) { NoError(t, nil) }, func(t TestingT) { Error(t, wrapped) }, func(t TestingT) { ErrorIs(t, wrapped, io.EOF) },
				func(t TestingT) { ErrorAs(t, path, new(*fs.PathError)) }, func(t TestingT) { ErrorContains(t, wrapped, "no") },
				func(t TestingT) { EqualError(t, wrapped, "no: EOF") },
			},
			[]func(t TestingT){
				func(t TestingT) { NoError(t, wrapped) }, func(t TestingT) { Error(t, nil) }, func(t TestingT) { ErrorIs(t, io.EOF, wrapped) },
				func(t TestingT) { ErrorAs(t, wrapped, new(*fs.PathError)) }, func(t TestingT) { ErrorContains(t, wrapped, "yes") },
				func(t TestingT) { ErrorContains(t, nil, "") }, func(t TestingT) { EqualError(t, wrapped, "no") }, func(t TestingT) { EqualError(t, nil, "") },
			},
		},
		"equality": {
			[]func(t TestingT){
				func(t TestingT) { Equal(t, []int{1}, []int{1}) }, func(t TestingT) { Equal(t, nil, nil) }, func(t TestingT) { Equal(t, []byte{}, []byte{}) },
				func(t TestingT) { EqualValues(t, 1, uint64(1)) }, func(t TestingT) { EqualValues(t, name("a"), "a") },
				func(t TestingT) { EqualValues(t, uint8(1), 1.0) }, func(t TestingT) { NotEqual(t, 1, int64(1)) },
				func(t TestingT) { Same(t, one, one) }, func(t TestingT) { NotSame(t, one, other) }, func(t TestingT) { JSONEq(t, `{"a":1,"b":2}`, `{"b":2, "a":1}`) },
				func(t TestingT) { ElementsMatch(t, []int{1, 2, 2}, []int{2, 1, 2}) }, func(t TestingT) { ElementsMatch(t, nil, []int{}) },
			},
			[]func(t TestingT){
				func(t TestingT) { Equal(t, 1, int64(1)) }, func(t TestingT) { Equal(t, []byte{}, []byte(nil)) }, func(t TestingT) { Equal(t, nil, none) },
				func(t TestingT) { Equal(t, nan, nan) }, func(t TestingT) { EqualValues(t, 256, uint8(0)) }, func(t TestingT) { EqualValues(t, uint8(0), 256) },
				func(t TestingT) { EqualValues(t, 1, 1.5) }, func(t TestingT) { EqualValues(t, nil, 0) }, func(t TestingT) { NotEqual(t, "a", "a") },
				func(t TestingT) { Same(t, one, other) }, func(t TestingT) { Same(t, 1, 1) }, func(t TestingT) { NotSame(t, one, one) },
				func(t TestingT) { NotSame(t, 1, 2) }, func(t TestingT) { JSONEq(t, `[1]`, `[2]`) }, func(t TestingT) { JSONEq(t, `[`, `[`) },
				func(t TestingT) { ElementsMatch(t, []int{1, 2, 2}, []int{2, 1, 1}) }, func(t TestingT) { ElementsMatch(t, []int{1}, []int{1, 1}) },
				func(t TestingT) { ElementsMatch(t, 1, 1) },
			},
		},
		"truth and nothing": {
			[]func(t TestingT){
				func(t TestingT) { True(t, true) }, func(t TestingT) { False(t, false) }, func(t TestingT) { Nil(t, nil) }, func(t TestingT) { Nil(t, none) },
				func(t TestingT) { NotNil(t, one) }, func(t TestingT) { NotNil(t, 0) }, func(t TestingT) { Zero(t, 0) }, func(t TestingT) { Zero(t, struct{ a []int }{}) },
				func(t TestingT) { NotZero(t, []int{}) }, func(t TestingT) { Empty(t, []int{}) }, func(t TestingT) { Empty(t, "") }, func(t TestingT) { Empty(t, one) },
				func(t TestingT) { NotEmpty(t, [1]int{1}) }, func(t TestingT) { Len(t, "ab", 2) }, func(t TestingT) { Len(t, map[int]int{}, 0) },
			},
			[]func(t TestingT){
				func(t TestingT) { True(t, false) }, func(t TestingT) { False(t, true) }, func(t TestingT) { Nil(t, one) }, func(t TestingT) { Nil(t, 0) },
				func(t TestingT) { NotNil(t, nil) }, func(t TestingT) { NotNil(t, none) }, func(t TestingT) { Zero(t, 1) }, func(t TestingT) { Zero(t, []int{}) },
				func(t TestingT) { NotZero(t, nil) }, func(t TestingT) { Empty(t, []int{0}) }, func(t TestingT) { Empty(t, 1) },
				func(t TestingT) { NotEmpty(t, [1]int{}) }, func(t TestingT) { NotEmpty(t, none) }, func(t TestingT) { Len(t, "ab", 3) }, func(t TestingT) { Len(t, 0, 0) },
			},
		},
		"parts": {
			[]func(t TestingT){
				func(t TestingT) { Contains(t, "abc", "bc") }, func(t TestingT) { Contains(t, []int{1, 2}, 2) }, func(t TestingT) { Contains(t, map[string]int{"a": 0}, "a") },
				func(t TestingT) { NotContains(t, "abc", "d") }, func(t TestingT) { NotContains(t, [1]int{1}, 2) }, func(t TestingT) { NotContains(t, map[string]int{}, "a") },
				func(t TestingT) { Regexp(t, `^a+$`, "aa") }, func(t TestingT) { Regexp(t, regexp.MustCompile("a"), []byte("a")) }, func(t TestingT) { NotRegexp(t, "b", io.EOF) },
			},
			[]func(t TestingT){
				func(t TestingT) { Contains(t, "abc", "d") }, func(t TestingT) { Contains(t, []int{1}, int64(1)) }, func(t TestingT) { Contains(t, map[string]int{}, "a") },
				func(t TestingT) { Contains(t, "1", 1) }, func(t TestingT) { NotContains(t, "abc", "b") }, func(t TestingT) { NotContains(t, []int{2}, 2) },
				func(t TestingT) { NotContains(t, nil, 2) }, func(t TestingT) { NotContains(t, "abc", 1) },
				func(t TestingT) { Regexp(t, `^a$`, "aa") }, func(t TestingT) { NotRegexp(t, "E", io.EOF) },
			},
		},
		"order": {
			[]func(t TestingT){
				func(t TestingT) { Greater(t, 2, 1) }, func(t TestingT) { Greater(t, "b", "a") }, func(t TestingT) { Greater(t, now.Add(1), now) },
				func(t TestingT) { GreaterOrEqual(t, uint8(1), uint8(1)) }, func(t TestingT) { Less(t, 1.5, 2.5) }, func(t TestingT) { Less(t, time.Duration(1), int64(2)) },
				func(t TestingT) { LessOrEqual(t, -1, 1) }, func(t TestingT) { LessOrEqual(t, uint64(1), uint64(math.MaxUint64)) }, func(t TestingT) { Positive(t, 0.1) },
				func(t TestingT) { InDelta(t, 1, 1.5, 0.5) }, func(t TestingT) { InDelta(t, nan, nan, 0) }, func(t TestingT) { InDelta(t, inf, inf, 0) },
				func(t TestingT) { InEpsilon(t, 100, uint8(101), 0.01) }, func(t TestingT) { InEpsilon(t, nan, nan, 0) },
			},
			[]func(t TestingT){
				func(t TestingT) { Greater(t, 1, 1) }, func(t TestingT) { Greater(t, 2, 1.0) }, func(t TestingT) { GreaterOrEqual(t, 1, 2) }, func(t TestingT) { Less(t, 1, 1) },
				func(t TestingT) { Less(t, nan, 1.0) }, func(t TestingT) { GreaterOrEqual(t, 1.0, nan) }, func(t TestingT) { LessOrEqual(t, 1.0, nan) },
				func(t TestingT) { LessOrEqual(t, 2, 1) }, func(t TestingT) { LessOrEqual(t, []int{}, []int{}) }, func(t TestingT) { Positive(t, 0) },
				func(t TestingT) { InDelta(t, 1, 1.6, 0.5) }, func(t TestingT) { InDelta(t, 1, nan, inf) }, func(t TestingT) { InDelta(t, nan, 1, inf) },
				func(t TestingT) { InDelta(t, inf, -inf, 1) }, func(t TestingT) { InEpsilon(t, 100, 102, 0.01) }, func(t TestingT) { InEpsilon(t, 0, 0, 1) },
				func(t TestingT) { InEpsilon(t, 1, nan, 1) },
			},
		},
		"panics and files": {
			[]func(t TestingT){
				func(t TestingT) { PanicsWithValue(t, "a", func() { panic("a") }) }, func(t TestingT) { PanicsWithError(t, "EOF", func() { panic(io.EOF) }) },
				func(t TestingT) { FileExists(t, file) }, func(t TestingT) { NoFileExists(t, dir) }, func(t TestingT) { NoFileExists(t, file+"s") },
				func(t TestingT) { NoDirExists(t, file) }, func(t TestingT) { NoDirExists(t, file+"s") },
			},
			[]func(t TestingT){
				func(t TestingT) { PanicsWithValue(t, "a", func() { panic("b") }) }, func(t TestingT) { PanicsWithValue(t, nil, func() {}) },
				func(t TestingT) { PanicsWithError(t, "EOF", func() { panic("EOF") }) }, func(t TestingT) { PanicsWithError(t, "EOF", func() {}) },
				func(t TestingT) { FileExists(t, dir) }, func(t TestingT) { FileExists(t, file+"s") }, func(t TestingT) { NoFileExists(t, file) },
				func(t TestingT) { NoDirExists(t, dir) }, func(t TestingT) { Fail(t, "no") },
			},
		},
	} {
		for i, check := range c.holds {
			if said := watch(t, check); said != "" {
				t.Errorf("%s %d holds: %s", text, i, said)
			}
		}
		for i, check := range c.fails {
			if watch(t, check) == "" {
				t.Errorf("%s %d does not hold", text, i)
			}
		}
	}
}

type part struct {
	Name string
	Next *part
	Of   map[string][]int
}

// What is said shows where values differ, what the test says of it, and who called whom.
func TestSaid(t *testing.T) {
	circle := &part{Name: "b"}
	circle.Next = circle
	long := strings.Repeat("line\n", 100)
	for want, check := range map[string]func(t TestingT){
		"not equal\nwant: 1\ngot:  2\nabout 3 of 4":                                                     func(t TestingT) { Equal(t, 1, 2, "about %d of %d", 3, 4) },
		"should be true\n[1 2]":                                                                         func(t TestingT) { True(t, false, []int{1, 2}) },
		"not equal from line 2 on, want -, got +\n-b\n+x\n+y":                                           func(t TestingT) { Equal(t, "a\nb\nc", "a\nx\ny\nc") },
		"not equal, though they look alike: want int, got int64\n1":                                     func(t TestingT) { Equal(t, 1, int64(1)) },
		"not equal from line 4 on, want -, got +\n-      1\n+      2":                                   func(t TestingT) { Equal(t, []any{map[string][]int{"b": {1}}}, []any{map[string][]int{"b": {2}}}) },
		"not equal from line 2 on, want -, got +\n-  Name: \"a\"\n-  Next: <nil>\n+  Name: \"b\"\n+":    func(t TestingT) { Equal(t, &part{Name: "a"}, circle) },
		"line\n... and 61 lines more":                                                                   func(t TestingT) { Empty(t, long) },
		"not equal from line 1 on, want -, got +\n-nil\n+line\n" + "+line\n":                            func(t TestingT) { Equal(t, nil, long) },
		"unexpected error: EOF\nat require_test.go:":                                                    func(t TestingT) { NoError(t, io.EOF) },
		"wrong error\nwant: one of type *fs.PathError\ngot:  EOF":                                       func(t TestingT) { ErrorAs(t, errors.New("EOF"), new(*fs.PathError)) },
		"missing: []interface {}{\n  1\n}\ntoo many: []interface {}{\n  3\n}\nall: []int{\n  3\n  2\n}": func(t TestingT) { ElementsMatch(t, []int{1, 2}, []int{3, 2}) },
	} {
		if said := watch(t, check); !strings.Contains(said, want) {
			t.Errorf("%s\ndoes not contain\n%s", said, want)
		}
	}
}
