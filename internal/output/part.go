package output

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Files that are not complete yet have names of this length with this begin, and are locked by who writes them.
const (
	partBegin  = ".expert-"
	partLength = len(partBegin) + 16
)

// part is a file that is not complete yet.
type part struct {
	*os.File
	locked *os.File // the same; it stays open until the other one is closed without an error and has its name
}

// newPart creates a file beside the one that it becomes. Errors call it by the name of that.
func newPart(target, name string, mode fs.FileMode) (p part, err error) {
	dir, _ := filepath.Split(target)
	removeParts(dir)
	for {
		p.File, err = os.OpenFile(dir+partBegin+strings.ToLower(rand.Text()[:partLength-len(partBegin)]), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return p, named(err, name)
		}
		if p.locked, err = os.Open(p.Name()); err == nil {
			_ = lock(p.locked) // where that cannot be, nobody takes it for one that was left
			_, err = os.Lstat(p.Name())
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return p, nil
		}
		p.Close() // somebody removed it before it was locked
		p.locked.Close()
	}
}

// removeParts removes what processes left in a directory that were killed while they wrote there: what nobody has locked.
func removeParts(dir string) {
	d, err := os.Open(cmp.Or(dir, "."))
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		if len(name) != partLength || !strings.HasPrefix(name, partBegin) {
			continue
		}
		if info, err := os.Lstat(dir + name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if f, err := os.Open(dir + name); err == nil {
			if lock(f) == nil {
				os.Remove(dir + name)
			}
			f.Close()
		}
	}
}
