// Package command holds what the command lines of tracerec and expert have in common.
package command

import (
	"debug/buildinfo"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// Version is what the build says about its source.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown version)"
}

// Beside returns the file of a command of this module if it lies beside this program, can be executed, and was built like it: by the same Go, from the same source. Where builds
// do not say from which, it must not be older than this program, but for what builds of both take.
func Beside(name string) (file string, ok bool) {
	self, err := os.Executable()
	if err != nil {
		return "", false
	}
	file = filepath.Join(filepath.Dir(self), name)
	other, err := buildinfo.ReadFile(file)
	own, known := debug.ReadBuildInfo()
	return file, err == nil && known && isFresh(file, self, own) && other.Path == own.Main.Path+"/cmd/"+name && other.Main.Version == own.Main.Version &&
		other.GoVersion == own.GoVersion && slices.Equal(source(own), source(other))
}

// isFresh says whether a file can be executed, and is of the source of this program if that is committed, or else not older than it. One command may build both, in any order.
func isFresh(file, self string, own *debug.BuildInfo) bool {
	other, err := os.Stat(file)
	if err != nil || other.Mode()&0o111 == 0 {
		return false
	}
	committed := slices.Contains(own.Settings, debug.BuildSetting{Key: "vcs.modified", Value: "false"})
	this, err := os.Stat(self)
	return committed || err == nil && other.ModTime().After(this.ModTime().Add(-10*time.Second))
}

// source is what a build says about its source and for which system it is.
func source(info *debug.BuildInfo) (s []debug.BuildSetting) {
	for _, b := range info.Settings {
		if strings.HasPrefix(b.Key, "vcs.") || b.Key == "GOOS" || b.Key == "GOARCH" {
			s = append(s, b)
		}
	}
	return s
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
