// Command paths prints what names of files mean: it works in /tmp/place and finds /data/in, and nothing else of the host.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func say(what string, v ...any) { fmt.Println(append([]any{what + ":"}, v...)...) }

// why returns what is behind an error.
func why(err error) error {
	var n syscall.Errno
	if errors.As(err, &n) {
		return n
	}
	return err
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func read(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return why(err).Error()
	}
	return string(b)
}

func names(dir string) (names []string) {
	list, err := os.ReadDir(dir)
	must(err)
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func kind(info os.FileInfo, err error) any {
	if err != nil {
		return why(err)
	}
	return info.Mode()
}

func main() {
	directories()
	links()
	slashes()
	hardLinks()
	permissions()
	times()
	refused()
	outside()
}

func directories() {
	say("root", kind(os.Stat("/")))
	say("names", names("/"), names("/deep"), names("/deep/down"))
	must(os.Chdir("/deep/down/here"))
	must(os.Chdir(".."))
	dir, err := os.Getwd()
	say("up", dir, err)
	name, err := filepath.EvalSymlinks("/deep/down/here/link")
	say("links", name, err)
	say("write", why(os.WriteFile("/new", nil, 0o666)), why(os.Mkdir("/deep/new", 0o777)), why(os.Mkdir("/deep", 0o777)), why(os.Remove("/deep/down")))
	say("no directory", why(os.Chdir("/data/in")), why(os.Chdir("/nothing")))
	must(os.Chdir("/tmp"))
	must(os.Mkdir("place", 0o777))
	must(os.Chdir("place"))
	d, err := os.Open("..")
	must(err)
	must(d.Chdir())
	dir, err = os.Getwd()
	say("opened", dir, err)
	must(os.Chdir("place"))
	must(os.WriteFile("file", []byte("content"), 0o666))
}

func links() {
	must(os.Symlink("/data/in", "absolute"))
	must(os.Symlink("/tmp/nothing", "dangling"))
	must(os.Symlink("../place/file", "relative"))
	must(os.Symlink("loop", "loop"))
	must(os.Symlink("/tmp/place", "dir"))
	say("absolute", read("absolute"))
	say("dangling", read("dangling"), kind(os.Lstat("dangling")), kind(os.Stat("dangling")))
	say("relative", read("relative"), read("dir/relative"), read("dir/../place/file"))
	say("loop", read("loop"))
	must(os.WriteFile("dangling", []byte("made"), 0o666))
	say("made", read("/tmp/nothing"))
	_, err := os.OpenFile("dangling", os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o666)
	say("exclusive", why(err))
	_, err = os.OpenFile("relative", syscall.O_NOFOLLOW, 0)
	say("not followed", why(err))
	say("self", kind(os.Lstat("/proc/self/exe")), read("/proc/self/exe")[1:4])
}

func slashes() {
	say("link", kind(os.Lstat("dir")), kind(os.Lstat("dir/")), kind(os.Lstat("dir/.")))
	say("file", kind(os.Stat("file/")), kind(os.Stat("file/.")), kind(os.Stat("file/..")))
	_, err := os.OpenFile("/tmp/new/", os.O_CREATE|os.O_RDWR, 0o666)
	say("new", why(err), kind(os.Stat("/tmp/new")))
	say("changes", why(os.Remove("file/")), why(os.Rename("file", "other/")), why(os.Link("file", "other/")), why(os.Mkdir("sub/", 0o777)))
	say("behind nothing", kind(os.Stat("nothing/../file")), why(os.Chdir("dir/sub/")), kind(os.Stat("../file")))
	must(os.Chdir(".."))
	must(os.Mkdir("empty", 0o777))
	say("dots", syscall.Rmdir("empty/."), syscall.Rmdir("empty/.."), why(os.Rename("empty/.", "moved")), syscall.Rmdir("empty"))
}

func hardLinks() {
	must(os.Link("file", "second"))
	a, err := os.Stat("file")
	must(err)
	b, err := os.Stat("second")
	must(err)
	say("same", os.SameFile(a, b), a.Sys().(*syscall.Stat_t).Nlink)
	must(os.Rename("second", "third"))
	must(os.Remove("file"))
	b, err = os.Stat("third")
	must(err)
	say("left", os.SameFile(a, b), b.Sys().(*syscall.Stat_t).Nlink, read("third"))
	must(os.Rename("third", "file"))
}

func permissions() {
	for _, mode := range []os.FileMode{0, 0o444, 0o222, 0o666} {
		must(os.Chmod("file", mode))
		_, r := os.Open("file")
		_, w := os.OpenFile("file", os.O_WRONLY, 0)
		say(fmt.Sprintf("mode %#o", mode), why(r), why(w), syscall.Access("file", 4), syscall.Access("file", 2), why(os.Truncate("file", 3)))
	}
	must(os.Mkdir("closed", 0o777))
	must(os.WriteFile("closed/file", nil, 0o666))
	for _, mode := range []os.FileMode{0, 0o555, 0o600} {
		must(os.Chmod("closed", mode))
		_, list := os.ReadDir("closed")
		say(fmt.Sprintf("directory %#o", mode), why(list), kind(os.Stat("closed/file")), why(os.WriteFile("closed/new", nil, 0o666)), why(os.Remove("closed/file")))
	}
	must(os.Chmod("closed", 0o755))
	f, err := os.OpenFile("readonly", os.O_CREATE|os.O_RDWR, 0o400)
	must(err)
	_, err = f.WriteString("written")
	say("created", err, kind(f.Stat()))
	must(os.Mkdir("sticky", 0o777|os.ModeSticky))
	say("sticky", kind(os.Stat("sticky")))
}

func times() {
	set := time.Unix(-5, 7)
	must(os.Chtimes("sticky", time.Time{}, set))
	a, err := os.Stat("sticky")
	say("times", a.ModTime().Equal(set), err, why(os.Chtimes("/data/in", set, set)), why(os.Chtimes("nowhere", set, set)))
}

// refused makes calls that have an answer but do nothing.
func refused() {
	nice, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	say("calls", why(syscall.Mkfifo("fifo", 0o666)), why(syscall.PtraceAttach(1)), nice, err, syscall.Setpriority(syscall.PRIO_PROCESS, 0, 5))
}

// outside tries to get at what the host has beside the directories that were given.
func outside() {
	host := os.Getenv("HOST")
	for _, name := range []string{host + "/secret", "/data/../secret", "/data/../../../../../.." + host + "/secret", "/data/out", "/data/up", "/data/directory/secret", "/data/directory/../secret",
		"../../../../../.." + host + "/secret", "/etc/passwd", "/data/proc", "/proc/self/root" + "/etc/passwd", "/proc/self/fd/0/../../etc/passwd"} {
		say("outside", read(name))
	}
	must(os.Symlink(host+"/secret", "secret"))
	must(os.Symlink(strings.Repeat("../", 20)+host+"/secret", "up"))
	must(os.Symlink(host, "host"))
	for _, name := range []string{"secret", "up", "host/secret", "host/../secret"} {
		say("made", read(name), why(os.WriteFile(name, []byte("changed"), 0o666)), why(os.Remove("host/secret")), why(os.Chmod(name, 0o777)), why(os.Link(name+"/.", "x")))
	}
}
