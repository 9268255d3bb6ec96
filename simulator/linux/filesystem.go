//go:build linux

package linux

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
)

// fileSystem is what the guest sees of the host's files: directories that it was given, and nothing through links that lead
// out of them.
type fileSystem struct {
	mounts []mounted // longest name first
	inodes map[string]uint64
	files  uint64 // inodes ever given
}

type mounted struct {
	Mount
	root *os.Root
}

func newFileSystem(mounts []Mount) (*fileSystem, error) {
	f := &fileSystem{inodes: map[string]uint64{}}
	for _, m := range mounts {
		m.Guest = path.Clean("/" + m.Guest)
		root, err := os.OpenRoot(m.Host)
		if err != nil {
			return nil, errors.Join(err, f.close())
		}
		f.mounts = append(f.mounts, mounted{m, root})
	}
	slices.SortStableFunc(f.mounts, func(a, b mounted) int { return cmp.Compare(len(b.Guest), len(a.Guest)) })
	return f, nil
}

func (f *fileSystem) close() error {
	var errs []error
	for _, m := range f.mounts {
		errs = append(errs, m.root.Close())
	}
	return errors.Join(errs...)
}

func (f *fileSystem) absolute(dir, name string) string {
	if !strings.HasPrefix(name, "/") {
		name = dir + "/" + name
	}
	return path.Clean(name)
}

// find returns the directory that holds an absolute name, and the name in it.
func (f *fileSystem) find(name string) (mounted, string, errno) {
	for _, m := range f.mounts {
		if m.Guest == "/" {
			return m, cmp.Or(strings.TrimPrefix(name, "/"), "."), 0
		}
		if rest, ok := strings.CutPrefix(name, m.Guest); ok && (rest == "" || rest[0] == '/') {
			return m, cmp.Or(strings.TrimPrefix(rest, "/"), "."), 0
		}
	}
	return mounted{}, "", syscall.ENOENT
}

// writable is find for changes.
func (f *fileSystem) writable(name string) (mounted, string, errno) {
	m, in, err := f.find(name)
	if err == 0 && !m.Write {
		err = syscall.EROFS
	}
	return m, in, err
}

// inode numbers names in the order in which they are asked for: the host's numbers would differ from run to run.
func (f *fileSystem) inode(name string) uint64 {
	n, ok := f.inodes[name]
	if !ok {
		f.files++
		n = f.files + 1
		f.inodes[name] = n
	}
	return n
}

// renamed keeps the numbers of what has another name now: it is the same file.
func (f *fileSystem) renamed(from, to string) {
	f.removed(to)
	for name, n := range maps.Clone(f.inodes) {
		if rest, ok := strings.CutPrefix(name, from); ok && (rest == "" || rest[0] == '/') {
			delete(f.inodes, name)
			f.inodes[to+rest] = n
		}
	}
}

// removed forgets the number of a name: another file may have it later.
func (f *fileSystem) removed(name string) { delete(f.inodes, name) }

// regular is an ordinary file.
type regular struct {
	*os.File
	append bool
}

func (r *regular) read(b []byte) (int, errno) {
	n, err := r.File.Read(b)
	if err == io.EOF {
		err = nil
	}
	return n, number(err)
}

func (r *regular) write(b []byte) (int, errno) {
	if r.append {
		if _, err := r.Seek(0, io.SeekEnd); err != nil {
			return 0, number(err)
		}
	}
	n, err := r.File.Write(b)
	return n, number(err)
}

func (*regular) ready() uint32 { return pollIn | pollOut }
func (r *regular) close()      { r.File.Close() }

// content returns all of the file, for a mapping of it.
func (r *regular) content() ([]byte, errno) {
	info, err := r.Stat()
	if err != nil || info.Size() > largest {
		return nil, syscall.ENOMEM
	}
	b := make([]byte, info.Size())
	n, err := r.ReadAt(b, 0)
	if err == io.EOF {
		err = nil
	}
	return b[:n], number(err)
}

// directory is an open directory; its entries are sorted, for the host's order differs from run to run.
type directory struct {
	entries []fs.DirEntry
	at      int
}

func (*directory) read([]byte) (int, errno)  { return 0, syscall.EISDIR }
func (*directory) write([]byte) (int, errno) { return 0, syscall.EBADF }
func (*directory) ready() uint32             { return pollIn }
func (*directory) close()                    {}

// device is a file that is always there.
type device struct {
	k      *Kernel
	random bool
}

func (d *device) read(b []byte) (int, errno) {
	if !d.random {
		return 0, 0
	}
	for i := range b {
		b[i] = byte(d.k.random.Uint32())
	}
	return len(b), 0
}
func (*device) write(b []byte) (int, errno) { return len(b), 0 }
func (*device) ready() uint32               { return pollIn | pollOut }
func (*device) close()                      {}

// hosts is what the guest reads as /etc/hosts if its mounts have no such file: programs look the name up.
const hosts = "127.0.0.1 localhost\n::1 localhost\n"

// text is a file of the simulator's.
type text struct {
	device
	rest string
}

func (f *text) read(b []byte) (int, errno) {
	n := copy(b, f.rest)
	f.rest = f.rest[n:]
	return n, 0
}

// open opens a file by its absolute name.
func (f *fileSystem) open(k *Kernel, name string, flags, mode uint64) (file, errno) {
	o, err := f.openHost(k, name, flags, mode)
	if err == syscall.ENOENT && name == "/etc/hosts" && flags&3 == 0 {
		return &text{rest: hosts}, 0
	}
	return o, err
}

func (f *fileSystem) openHost(k *Kernel, name string, flags, mode uint64) (file, errno) {
	switch name {
	case "/dev/null":
		return &device{k: k}, 0
	case "/dev/urandom", "/dev/random":
		return &device{k: k, random: true}, 0
	}
	find := f.find
	if flags&(oWriteOnly|oReadWrite|oCreate|oTruncate) != 0 {
		find = f.writable
	}
	m, in, err := find(name)
	if err != 0 {
		return nil, err
	}
	host, e := m.root.OpenFile(in, int(flags&(3|oCreate|oExclusive|oTruncate|oNoFollow)), fs.FileMode(mode&0o777))
	if e != nil {
		return nil, number(e)
	}
	info, e := host.Stat()
	switch {
	case e != nil:
		host.Close()
		return nil, number(e)
	case info.IsDir():
		defer host.Close()
		entries, e := host.ReadDir(-1)
		slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		return &directory{entries: entries}, number(e)
	case flags&oDirectory != 0:
		host.Close()
		return nil, syscall.ENOTDIR
	case !info.Mode().IsRegular():
		host.Close() // devices and pipes of the host are not the guest's
		return nil, syscall.EACCES
	}
	return &regular{host, flags&oAppend != 0}, 0
}
