package output

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// Files that are not complete yet have names with this begin, then letters that stand for the running kernel and random ones. They are locked by
// who writes them.
const (
	partBegin   = ".expert-"
	partRandom  = 16
	partLetters = "abcdefghijklmnopqrstuvwxyz234567"
)

// kernel returns letters that stand for the running kernel, "" if it is not known. Locks are seen within one kernel, but directories may be those of
// other machines, too.
var kernel = sync.OnceValue(func() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(id)
	return base32.NewEncoding(partLetters).EncodeToString(sum[:5])
})

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
		p.File, err = os.OpenFile(dir+partBegin+kernel()+strings.ToLower(rand.Text()[:partRandom]), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err != nil {
			return p, named(err, name)
		}
		if p.locked, err = os.Open(p.Name()); err == nil {
			if errors.Is(lock(p.locked), syscall.EWOULDBLOCK) { // somebody takes it for one that was left; where nothing can be locked, nobody does
				os.Remove(p.Name())
			}
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
	begin := partBegin + kernel()
	if begin == partBegin {
		return
	}
	d, err := os.Open(cmp.Or(dir, "."))
	if err != nil {
		return
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	for _, name := range names {
		if random, is := strings.CutPrefix(name, begin); !is || len(random) != partRandom || strings.Trim(random, partLetters) != "" {
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
