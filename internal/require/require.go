// Package require ends a test with what is wrong, unless something holds. Its functions are those of testify's package of that name, and
// mean the same, as far as tests here need them: each test program would link that one's web server, for longer than most of them run.
// What a test says about the matter comes last, as for fmt.Sprintf. Functions may be called at the same time where FailNow may.
package require

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
)

// TestingT is what a test is here, so that something else can be one for a while.
type TestingT interface {
	Helper()
	Errorf(format string, args ...any)
	FailNow()
}

// Fail ends the test. That t is a helper is said by those who call it, but not where all is well, as it takes time.
func Fail(t TestingT, what string, about ...any) {
	t.Helper()
	if len(about) == 1 {
		what += fmt.Sprintf("\n%v", about[0])
	} else if len(about) > 1 {
		what += "\n" + fmt.Sprintf(about[0].(string), about[1:]...)
	}
	t.Errorf("%s%s", what, trace())
	t.FailNow()
}

// trace lists the places in the test's own functions that led here, if there are several.
func trace() string {
	var pcs [64]uintptr
	var places []string
	for frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])]); ; {
		f, more := frames.Next()
		if ours := strings.HasPrefix(f.Function, "tracerec/"); ours && !strings.HasPrefix(f.Function, "tracerec/internal/require.") {
			places = append(places, fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line))
		}
		if !more {
			break
		}
	}
	if len(places) < 2 {
		return ""
	}
	return "\nat " + strings.Join(places, ", called at ")
}

// NoError requires that there is no error.
func NoError(t TestingT, err error, about ...any) {
	if err != nil {
		t.Helper()
		Fail(t, "unexpected error: "+err.Error(), about...)
	}
}

// Error requires an error.
func Error(t TestingT, err error, about ...any) {
	if err == nil {
		t.Helper()
		Fail(t, "no error", about...)
	}
}

// ErrorIs requires an error that is another one, in the sense of errors.Is.
func ErrorIs(t TestingT, err, target error, about ...any) {
	if !errors.Is(err, target) {
		t.Helper()
		Fail(t, fmt.Sprintf("wrong error\nwant: %v\ngot:  %v", target, err), about...)
	}
}

// ErrorAs requires an error of the type that target points to, in the sense of errors.As, and puts it there.
func ErrorAs(t TestingT, err error, target any, about ...any) {
	if !errors.As(err, target) {
		t.Helper()
		Fail(t, fmt.Sprintf("wrong error\nwant: one of type %s\ngot:  %v", reflect.TypeOf(target).Elem(), err), about...)
	}
}

// ErrorContains requires an error that says something.
func ErrorContains(t TestingT, err error, text string, about ...any) {
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Helper()
		Fail(t, fmt.Sprintf("wrong error\nwant: %s\ngot:  %v", text, err), about...)
	}
}

// EqualError requires an error that says just this.
func EqualError(t TestingT, err error, text string, about ...any) {
	if err == nil || err.Error() != text {
		t.Helper()
		Fail(t, fmt.Sprintf("wrong error\nwant: %s\ngot:  %v", text, err), about...)
	}
}

// True requires that something holds.
func True(t TestingT, holds bool, about ...any) {
	if !holds {
		t.Helper()
		Fail(t, "should be true", about...)
	}
}

// False requires that something does not hold.
func False(t TestingT, holds bool, about ...any) {
	if holds {
		t.Helper()
		Fail(t, "should be false", about...)
	}
}

// Equal requires that two values are equal, in the sense of reflect.DeepEqual.
func Equal(t TestingT, want, got any, about ...any) {
	if !reflect.DeepEqual(want, got) {
		t.Helper()
		Fail(t, difference(want, got), about...)
	}
}

// EqualValues is Equal for values of different types: each is equal to the other when converted to its type.
func EqualValues(t TestingT, want, got any, about ...any) {
	if !equalValues(want, got) {
		t.Helper()
		Fail(t, difference(want, got), about...)
	}
}

// NotEqual requires that two values are not equal.
func NotEqual(t TestingT, other, got any, about ...any) {
	if reflect.DeepEqual(other, got) {
		t.Helper()
		Fail(t, "should be something else: "+show(got), about...)
	}
}

// JSONEq requires two JSON texts that mean the same.
func JSONEq(t TestingT, want, got string, about ...any) {
	t.Helper()
	var x, y any
	NoError(t, json.Unmarshal([]byte(want), &x), want)
	NoError(t, json.Unmarshal([]byte(got), &y), got)
	Equal(t, x, y, about...)
}

// Same requires two pointers to the same.
func Same(t TestingT, want, got any, about ...any) {
	if same, ok := pointers(want, got); !ok || !same {
		t.Helper()
		Fail(t, fmt.Sprintf("not the same\nwant: %p %v\ngot:  %[3]p %[3]v", want, want, got), about...)
	}
}

// NotSame requires two pointers that do not point to the same.
func NotSame(t TestingT, other, got any, about ...any) {
	if same, ok := pointers(other, got); !ok || same {
		t.Helper()
		Fail(t, fmt.Sprintf("should not be %p %[1]v", got), about...)
	}
}

// Nil requires nil, of any type that has it.
func Nil(t TestingT, got any, about ...any) {
	if !isNil(got) {
		t.Helper()
		Fail(t, "should be nil: "+show(got), about...)
	}
}

// NotNil requires anything but nil.
func NotNil(t TestingT, got any, about ...any) {
	if isNil(got) {
		t.Helper()
		Fail(t, "should not be nil", about...)
	}
}

// Zero requires the zero value of its type.
func Zero(t TestingT, got any, about ...any) {
	if !isZero(got) {
		t.Helper()
		Fail(t, "should be zero: "+show(got), about...)
	}
}

// NotZero requires anything but the zero value of its type.
func NotZero(t TestingT, got any, about ...any) {
	if isZero(got) {
		t.Helper()
		Fail(t, "should not be zero", about...)
	}
}

// Empty requires something without elements, zero, or a pointer to it.
func Empty(t TestingT, got any, about ...any) {
	if !isEmpty(reflect.ValueOf(got)) {
		t.Helper()
		Fail(t, "should be empty: "+show(got), about...)
	}
}

// NotEmpty requires what is not Empty.
func NotEmpty(t TestingT, got any, about ...any) {
	if isEmpty(reflect.ValueOf(got)) {
		t.Helper()
		Fail(t, "should not be empty", about...)
	}
}

// Len requires something of that length.
func Len(t TestingT, got any, want int, about ...any) {
	if n, ok := length(got); !ok || n != want {
		t.Helper()
		Fail(t, fmt.Sprintf("%d elements, not %d: %s", n, want, show(got)), about...)
	}
}

// Contains requires that a text has a part, a list an element, or a map a key.
func Contains(t TestingT, in, x any, about ...any) {
	if found, ok := contains(in, x); !ok || !found {
		t.Helper()
		Fail(t, fmt.Sprintf("no %s in %s", show(x), show(in)), about...)
	}
}

// NotContains requires a text, a list or a map, that does not contain something.
func NotContains(t TestingT, in, x any, about ...any) {
	if found, ok := contains(in, x); !ok || found {
		t.Helper()
		Fail(t, fmt.Sprintf("there should be no %s in %s", show(x), show(in)), about...)
	}
}

// ElementsMatch requires two lists with the same elements in any order.
func ElementsMatch(t TestingT, want, got any, about ...any) {
	if missing, more, ok := lists(want, got); !ok || len(missing)+len(more) > 0 {
		t.Helper()
		Fail(t, fmt.Sprintf("missing: %s\ntoo many: %s\nall: %s", show(missing), show(more), show(got)), about...)
	}
}

// Greater requires a > b, of one kind: numbers, texts or times.
func Greater(t TestingT, a, b any, about ...any) {
	if c, ok := order(a, b); !ok || c <= 0 {
		t.Helper()
		Fail(t, fmt.Sprintf("should be greater: %v (%[1]T) > %v (%[2]T)", a, b), about...)
	}
}

// GreaterOrEqual requires a ≥ b.
func GreaterOrEqual(t TestingT, a, b any, about ...any) {
	if c, ok := order(a, b); !ok || c < 0 {
		t.Helper()
		Fail(t, fmt.Sprintf("should not be less: %v (%[1]T) >= %v (%[2]T)", a, b), about...)
	}
}

// Less requires a < b.
func Less(t TestingT, a, b any, about ...any) {
	if c, ok := order(a, b); !ok || c >= 0 {
		t.Helper()
		Fail(t, fmt.Sprintf("should be less: %v (%[1]T) < %v (%[2]T)", a, b), about...)
	}
}

// LessOrEqual requires a ≤ b.
func LessOrEqual(t TestingT, a, b any, about ...any) {
	if c, ok := order(a, b); !ok || c > 0 {
		t.Helper()
		Fail(t, fmt.Sprintf("should not be greater: %v (%[1]T) <= %v (%[2]T)", a, b), about...)
	}
}

// Positive requires a number above zero.
func Positive(t TestingT, got any, about ...any) {
	t.Helper()
	Greater(t, got, reflect.Zero(reflect.TypeOf(got)).Interface(), about...)
}

// InDelta requires two numbers that differ by at most delta; NaN only is as NaN.
func InDelta(t TestingT, want, got any, delta float64, about ...any) {
	x, y := float(want), float(got)
	if !(math.Abs(x-y) <= delta || x == y || bothNaN(x, y)) {
		t.Helper()
		Fail(t, fmt.Sprintf("want %v, got %v, which differs by %g, not by at most %g", want, got, y-x, delta), about...)
	}
}

// InEpsilon requires two numbers that differ by at most that part of the first, which is not zero.
func InEpsilon(t TestingT, want, got any, epsilon float64, about ...any) {
	x, y := float(want), float(got)
	if !(math.Abs(x-y)/math.Abs(x) <= epsilon || bothNaN(x, y)) {
		t.Helper()
		Fail(t, fmt.Sprintf("want %v, got %v, which differs by %g of it, not by at most %g", want, got, (y-x)/x, epsilon), about...)
	}
}

// Regexp requires a text in which a regular expression matches, a *regexp.Regexp or its source.
func Regexp(t TestingT, re, text any, about ...any) {
	if !matches(re, text) {
		t.Helper()
		Fail(t, fmt.Sprintf("no match\nwant: %v\ngot:  %s", re, text), about...)
	}
}

// NotRegexp requires a text in which a regular expression does not match.
func NotRegexp(t TestingT, re, text any, about ...any) {
	if matches(re, text) {
		t.Helper()
		Fail(t, fmt.Sprintf("should not match %v: %s", re, text), about...)
	}
}

func matches(re, text any) bool {
	compiled, ok := re.(*regexp.Regexp)
	if !ok {
		compiled = regexp.MustCompile(re.(string))
	}
	if b, ok := text.([]byte); ok {
		return compiled.Match(b)
	}
	return compiled.MatchString(fmt.Sprint(text))
}

// PanicsWithValue requires that f panics with a value.
func PanicsWithValue(t TestingT, want any, f func(), about ...any) {
	if got, ok := panics(f); !ok || !reflect.DeepEqual(want, got) {
		t.Helper()
		Fail(t, fmt.Sprintf("wrong panic (%t)\nwant: %v\ngot:  %v", ok, want, got), about...)
	}
}

// PanicsWithError requires that f panics with an error that says just this.
func PanicsWithError(t TestingT, want string, f func(), about ...any) {
	got, _ := panics(f)
	if err, ok := got.(error); !ok || err.Error() != want {
		t.Helper()
		Fail(t, fmt.Sprintf("wrong panic\nwant: %s\ngot:  %v", want, got), about...)
	}
}

// panics says whether f panics, and with what.
func panics(f func()) (with any, ok bool) {
	defer func() {
		with = recover()
	}()
	ok = true
	f()
	return nil, false
}

// FileExists requires that there is something of that name, and no directory.
func FileExists(t TestingT, file string, about ...any) {
	if info, err := os.Lstat(file); err != nil || info.IsDir() {
		t.Helper()
		Fail(t, "no file: "+file, about...)
	}
}

// NoFileExists requires that there is nothing of that name, or a directory.
func NoFileExists(t TestingT, file string, about ...any) {
	if info, err := os.Lstat(file); err == nil && !info.IsDir() {
		t.Helper()
		Fail(t, "there should be no file: "+file, about...)
	}
}

// NoDirExists requires that there is no directory of that name.
func NoDirExists(t TestingT, dir string, about ...any) {
	if info, err := os.Lstat(dir); err == nil && info.IsDir() {
		t.Helper()
		Fail(t, "there should be no directory: "+dir, about...)
	}
}
