// Command attends does what recorders of other processes do: locks, room in files, descriptors of processes, and what /proc tells.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	dir := os.Args[1]
	if len(os.Args) > 2 { // a child that waits for the lock
		f := open(filepath.Join(dir, "renamed"))
		fmt.Println("child may not", unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB))
		fmt.Println("child has it", unix.Flock(int(f.Fd()), unix.LOCK_EX))
		return
	}
	f := open(filepath.Join(dir, "file"))
	fmt.Println(unix.Fallocate(int(f.Fd()), 0, 0, 100_000), unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, 10))
	fmt.Println(unix.Flock(int(f.Fd()), unix.LOCK_EX))
	before, _ := f.Stat()
	os.Rename(f.Name(), filepath.Join(dir, "renamed"))
	after, _ := os.Stat(filepath.Join(dir, "renamed"))
	other := open(filepath.Join(dir, "file"))
	info, _ := other.Stat()
	fmt.Println(before.Size(), os.SameFile(before, after), os.SameFile(before, info))

	child := exec.Command(os.Args[0], dir, "child")
	var out bytes.Buffer
	child.Stdout = &out
	check(child.Start())
	pid := child.Process.Pid
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	check(err)
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(poll, 20)
	fmt.Println("running", n, err, stat(pid)[0] != "", stat(pid)[2] != "Z")
	fmt.Println(unix.Flock(int(f.Fd()), unix.LOCK_UN))
	for n, err = unix.Poll(poll, 10_000); err == unix.EINTR; n, err = unix.Poll(poll, 10_000) {
	}
	fmt.Println("ended", n, err, stat(pid)[2])
	check(child.Wait())
	fmt.Print(out.String())
	_, err = os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, none := unix.PidfdOpen(pid, 0)
	fmt.Println(os.IsNotExist(err), none)

	tasks, err := os.ReadDir("/proc/self/task")
	fmt.Println(len(tasks) > 1, err, tasks[0].Name() == fmt.Sprint(os.Getpid()))
	var s unix.Statfs_t
	fmt.Println(unix.Statfs(dir, &s), s.Bavail*uint64(s.Bsize), unix.Statfs(dir+"/absent", &s), unix.Fstatfs(int(f.Fd()), &s))
	fmt.Println(unix.Mount("a", "b", "tmpfs", 0, ""))
	begin := time.Now()
	time.Sleep(time.Millisecond)
	fmt.Println(time.Since(begin) < 2*time.Millisecond)
}

func open(name string) *os.File {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	check(err)
	return f
}

func stat(pid int) []string {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	check(err)
	return strings.Fields(string(b))
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
