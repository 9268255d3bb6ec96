//go:build linux

package linux

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// place is what a name means: a file, or where there could be one. Links were followed in the guest's names, so that the host
// never follows any.
type place struct {
	name   string  // absolute, without links but perhaps the last part
	mount  mounted // that holds it, without root if none does
	in     string  // name in the mount
	info   fs.FileInfo
	parent fs.FileInfo // of the directory that holds it, nil of where the walk began
	dots   bool        // the name's last part is . or ..
}

// maxLinks is how many symbolic links a name may lead through.
const maxLinks = 40

// lead is a directory that is only there because a mount is somewhere below it.
type lead string

func (l lead) Name() string               { return path.Base(string(l)) }
func (lead) Size() int64                  { return 0 }
func (lead) Mode() fs.FileMode            { return fs.ModeDir | 0o555 }
func (lead) ModTime() time.Time           { return time.Unix(0, boot) }
func (lead) IsDir() bool                  { return true }
func (lead) Sys() any                     { return nil }
func (lead) Type() fs.FileMode            { return fs.ModeDir }
func (l lead) Info() (fs.FileInfo, error) { return l, nil }

// leads returns the names in a directory that lead to mounts, sorted.
func (f *fileSystem) leads(dir string) (names []string) {
	for _, m := range f.mounts {
		if rest, ok := strings.CutPrefix(m.Guest, strings.TrimSuffix(dir, "/")+"/"); ok && rest != "" {
			first, _, _ := strings.Cut(rest, "/")
			names = append(names, first)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// look returns what is at an absolute name without links before its last part.
func (f *fileSystem) look(name string) (place, errno) {
	p := place{name: name}
	var err error = fs.ErrNotExist
	if m, in, e := f.find(name); e == 0 {
		p.mount, p.in = m, in
		p.info, err = m.root.Lstat(in)
	}
	if (err != nil || !p.info.IsDir()) && (name == "/" || len(f.leads(name)) > 0) {
		return place{name: name, info: lead(name)}, 0
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p, number(err)
	}
	return p, 0
}

// walk follows a name from a directory, and the link that it may be in the end if that is asked for. What has no file may be
// created there. With an error, the name is what was asked for, absolute.
func (f *fileSystem) walk(dir, name string, follow bool) (place, errno) {
	if name == "" {
		return place{}, syscall.ENOENT
	}
	if name[0] == '/' {
		dir = "/"
	}
	here, err := f.look(dir)
	links := 0
	for rest := split(name); len(rest) > 0 && err == 0; {
		part := rest[0]
		rest = rest[1:]
		if part == "" { // behind the last slash
			if here.info != nil && !here.info.IsDir() {
				err = syscall.ENOTDIR
			}
			continue
		}
		if err = here.enter(); err != 0 {
			return place{name: path.Join(here.name, part, path.Join(rest...))}, err
		}
		if part == "." {
			here.dots = true
			continue
		}
		from := here
		here, err = f.look(path.Join(from.name, part))
		here.parent, here.dots = from.info, part == ".."
		if err != 0 || here.info == nil || here.info.Mode()&fs.ModeSymlink == 0 || !follow && len(rest) == 0 {
			continue
		}
		target, e := here.mount.root.Readlink(here.in)
		if links++; e != nil {
			return here, number(e)
		}
		if links > maxLinks {
			return here, syscall.ELOOP
		}
		rest = append(split(target), rest...)
		if here = from; strings.HasPrefix(target, "/") {
			here, err = f.look("/")
		}
	}
	return here, err
}

// split returns the parts of a name. One that ends with a slash has an empty last part.
func split(name string) []string {
	parts := slices.DeleteFunc(strings.Split(name, "/"), func(s string) bool { return s == "" })
	if strings.HasSuffix(name, "/") {
		parts = append(parts, "")
	}
	return parts
}

// Permissions, as a file's owner has them and as access asks for them.
const (
	mayExecute = 1
	mayWrite   = 2
	mayRead    = 4
)

// permits tells whether the owner of a file may do all of what is asked for.
func permits(info fs.FileInfo, what uint64) bool { return uint64(info.Mode()>>6)&what == what }

// exists says whether there is a file.
func (p place) exists() errno {
	if p.info == nil {
		return syscall.ENOENT
	}
	return 0
}

// enter says whether names in it can be looked up.
func (p place) enter() errno {
	switch {
	case p.info == nil:
		return syscall.ENOENT
	case !p.info.IsDir():
		return syscall.ENOTDIR
	case !permits(p.info, mayExecute):
		return syscall.EACCES
	}
	return 0
}

// changeable says whether the file may be created, removed or renamed.
func (p place) changeable() errno {
	switch {
	case !p.mount.Write:
		return syscall.EROFS
	case p.in == "." || p.dots:
		return syscall.EBUSY
	case p.parent != nil && !permits(p.parent, mayWrite):
		return syscall.EACCES
	}
	return 0
}

// access says whether a file may be used so.
func (p place) access(what uint64) errno {
	switch {
	case p.info == nil:
		return syscall.ENOENT
	case what&mayWrite != 0 && !p.mount.Write:
		return syscall.EROFS
	case !permits(p.info, what):
		return syscall.EACCES
	}
	return 0
}

// find returns what a directory's descriptor and a name mean.
func (t *thread) find(dir, name uint64, follow bool) (place, errno) {
	s, err := t.p.text(name)
	if err != 0 {
		return place{}, err
	}
	return t.findText(dir, s, follow)
}

func (t *thread) findText(dir uint64, s string, follow bool) (place, errno) {
	from := t.p.dir
	if int32(dir) != atWorkingDir && s != "" && s[0] != '/' {
		o, err := t.p.files.get(dir)
		if err != 0 {
			return place{}, err
		}
		if from = o.path; from == "" {
			return place{}, syscall.ENOTDIR
		}
	}
	if target, rest, ok := t.p.ownLink(s); ok && (follow || rest != "") {
		s = target + rest
	}
	return t.k.fs.walk(from, s, follow)
}

// atWorkingDir is what calls take for the descriptor of the working directory.
const atWorkingDir = -100

// ownLink returns what a link of the kernel's leads to, of which a name consists or that it begins with: to the program, or
// to an open file.
func (p *process) ownLink(name string) (target, rest string, ok bool) {
	if name == "/proc/self/exe" {
		return p.program, "", true
	}
	number, ok := strings.CutPrefix(name, "/proc/self/fd/")
	if !ok {
		return "", "", false
	}
	if i := strings.IndexByte(number, '/'); i >= 0 {
		number, rest = number[:i], number[i:]
	}
	n, e := strconv.ParseUint(number, 10, 31)
	o, err := p.files.get(n)
	if e != nil || err != 0 || o.path == "" {
		return "", "", false
	}
	return o.path, rest, true
}
