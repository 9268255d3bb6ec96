package shm

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// NoteSuffix ends the names of notes in a session directory.
const NoteSuffix = ".note"

// A Note says why a process of the session is not recorded. It is a symbolic link that leads nowhere: this takes no descriptor, for
// these may be what is missing, and is there whole or not at all.
type Note struct {
	Command string // of the process, perhaps cut
	Why     string
}

// Leave leaves the note of this process in a session directory.
func (n Note) Leave(dir string) error {
	name := fmt.Sprintf("%d-%d%s", os.Getpid(), time.Now().UnixNano(), NoteSuffix)
	const most = 1000 // bytes; links may have 4095
	line := func(text string) string { return strings.ReplaceAll(text[:min(len(text), most)], "\n", " ") }
	return os.Symlink(line(n.Command)+"\n"+line(n.Why), filepath.Join(dir, name))
}

// ReadNote reads a note.
func ReadNote(path string) (pid int, n Note, err error) {
	text, err := os.Readlink(path)
	if err != nil {
		return 0, Note{}, err
	}
	fmt.Sscan(strings.Replace(filepath.Base(path), "-", " ", 1), &pid)
	n.Command, n.Why, _ = strings.Cut(text, "\n")
	return pid, n, nil
}
