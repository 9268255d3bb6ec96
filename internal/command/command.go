// Package command holds what the command lines of tracerec and expert have in common.
package command

import (
	"errors"
	"runtime/debug"
	"strings"
)

// Version is what the build says about its source.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown version)"
}

// Format is a flag that takes one of a few words; the first is the default.
type Format struct {
	Value string
	words []string
}

// NewFormat returns a flag that takes these words, of which there are at least two.
func NewFormat(words ...string) *Format { return &Format{words[0], words} }

func (f *Format) String() string { return f.Value }

// Type is what help calls the word.
func (f *Format) Type() string { return "FORMAT" }

// Usage names the words: "text, json or csv".
func (f *Format) Usage() string { return f.list(" or ") }

func (f *Format) list(last string) string {
	n := len(f.words) - 1
	return strings.Join(f.words[:n], ", ") + last + f.words[n]
}

// Set accepts one of the words.
func (f *Format) Set(s string) error {
	for _, w := range f.words {
		if s == w {
			f.Value = s
			return nil
		}
	}
	return errors.New("neither " + f.list(" nor "))
}
