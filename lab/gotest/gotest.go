// Package gotest reads what tests gave.
package gotest

import (
	"encoding/json"
	"errors"
	"io"
)

// Outcomes reads the output of go test -json or of go tool test2json. It returns "pass", "fail" or "skip" by package and name of the test, with a space between them, and the
// seconds that the packages took together. A test that ran several times fails if it failed once. The error means that there is something else, or no test.
func Outcomes(r io.Reader) (tests map[string]string, seconds float64, err error) {
	tests = map[string]string{}
	for d := json.NewDecoder(r); d.More(); {
		var e struct {
			Action, Package, Test string
			Elapsed               float64
		}
		if err := d.Decode(&e); err != nil {
			return nil, 0, err
		}
		switch {
		case e.Action != "pass" && e.Action != "fail" && e.Action != "skip":
		case e.Test == "":
			seconds += e.Elapsed
			tests[e.Package] = e.Action
		case tests[e.Package+" "+e.Test] != "fail":
			tests[e.Package+" "+e.Test] = e.Action
		}
	}
	if len(tests) == 0 {
		return nil, 0, errors.New("no tests")
	}
	return tests, seconds, nil
}
