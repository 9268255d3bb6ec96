// Command processes starts itself as children: pipes, environment, exit statuses, signals, and memory shared with them.
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"
)

func main() {
	if len(os.Args) > 1 {
		child(os.Args[1])
		return
	}
	cmd := exec.Command("/proc/self/exe", "echo")
	cmd.Stdin = strings.NewReader(strings.Repeat("through a pipe ", 10000))
	out, err := cmd.Output()
	fmt.Println("echo", len(out), err)

	cmd = exec.Command(os.Args[0], "status")
	cmd.Env = []string{"STATUS=seven"}
	cmd.Stdout = os.Stdout
	err = cmd.Run()
	fmt.Println("status", err, cmd.ProcessState.ExitCode(), cmd.ProcessState.Pid() > 0)

	fmt.Println(exec.Command("/no/such").Run())
	fmt.Println(exec.Command("/bin/in").Run())

	r, w, _ := os.Pipe()
	cmd = exec.Command(os.Args[0], "wait")
	cmd.Stdout, cmd.Stderr = w, os.Stdout
	child := make(chan os.Signal, 1)
	signal.Notify(child, syscall.SIGCHLD)
	check(cmd.Start())
	w.Close()
	var b [5]byte
	_, err = io.ReadFull(r, b[:])
	fmt.Println(string(b[:]), err)
	check(cmd.Process.Signal(syscall.SIGTERM))
	rest, err := io.ReadAll(r)
	fmt.Println(string(rest), err)
	check(cmd.Process.Kill())
	fmt.Println(cmd.Wait(), <-child)

	stopped()
	shared()
}

// stopped has a child that spins stopped, continued and ended.
func stopped() {
	cmd := exec.Command(os.Args[0], "spin")
	check(cmd.Start())
	pid := cmd.Process.Pid
	var status syscall.WaitStatus
	wait := func(options int) syscall.WaitStatus {
		_, err := syscall.Wait4(pid, &status, options, nil)
		check(err)
		return status
	}
	check(syscall.Kill(pid, syscall.SIGSTOP))
	fmt.Println("stopped", wait(syscall.WUNTRACED).StopSignal())
	check(syscall.Kill(pid, syscall.SIGCONT))
	fmt.Println("continued", wait(syscall.WCONTINUED).Continued())
	check(syscall.Kill(pid, syscall.SIGSTOP))
	check(syscall.Kill(pid, syscall.SIGKILL))
	fmt.Println("killed", wait(0).Signal())
}

func child(what string) {
	switch what {
	case "echo":
		io.Copy(os.Stdout, os.Stdin)
	case "status":
		fmt.Println(os.Environ(), os.Getppid() > 1)
		os.Exit(7)
	case "spin":
		for {
		}
	case "wait":
		terminate := make(chan os.Signal, 1)
		signal.Notify(terminate, syscall.SIGTERM)
		fmt.Print("ready")
		fmt.Print(<-terminate)
		os.Stdout.Close()
		select {}
	case "add":
		m := mapping(os.NewFile(3, "shared"))
		for range 1000 {
			atomic.AddInt64(m, 1)
		}
	}
}

// shared has three children add to the same word of a mapped file.
func shared() {
	name := os.Getenv("OUT") + "/shared"
	check(os.WriteFile(name, bytes.Repeat([]byte{0}, 4096), 0o600))
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	check(err)
	m := mapping(f)
	var children []*exec.Cmd
	for range 3 {
		c := exec.Command(os.Args[0], "add")
		c.ExtraFiles = []*os.File{f}
		check(c.Start())
		children = append(children, c)
	}
	for _, c := range children {
		check(c.Wait())
	}
	content, err := os.ReadFile(name)
	check(err)
	fmt.Println("shared", *m, content[:2])
	// Behind the end of a file that became shorter.
	check(f.Truncate(0))
	_, err = os.Stdout.Write(unsafe.Slice((*byte)(unsafe.Pointer(m)), 8))
	fmt.Println(err != nil)
}

func mapping(f *os.File) *int64 {
	b, err := syscall.Mmap(int(f.Fd()), 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	check(err)
	return (*int64)(unsafe.Pointer(&b[0]))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
