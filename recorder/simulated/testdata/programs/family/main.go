// Command family is an instrumented program that starts itself twice, with messages between the processes' goroutines by pipes, and
// becomes itself once more by exec in the second. The durations are of virtual time.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"tracerec/instrument"
)

func main() {
	switch role := append(os.Args, "parent")[1]; role {
	case "parent":
		parent()
	case "child":
		child()
	case "becoming":
		work("before")
		fmt.Println(syscall.Exec(os.Args[0], []string{os.Args[0], "became"}, os.Environ()))
	case "became":
		work("after")
		os.Exit(3)
	}
}

func parent() {
	defer instrument.Region("parent").End()
	cmd := exec.Command(os.Args[0], "child")
	in, err := cmd.StdinPipe()
	check(err)
	cmd.Stdout = os.Stdout
	check(cmd.Start())
	time.Sleep(3 * time.Millisecond)
	fmt.Fprintln(in, "go on")
	in.Close()
	check(cmd.Wait())
	err = exec.Command(os.Args[0], "becoming").Run()
	fmt.Println("parent:", err)
}

func child() {
	defer instrument.Region("child").End()
	read := instrument.Region("read")
	text, err := io.ReadAll(os.Stdin)
	read.End()
	check(err)
	results := make(chan int)
	instrument.Go(func() {
		work("late")
		instrument.Send(results, len(text))
	})
	fmt.Println("child:", instrument.Recv(results))
}

func work(name string) {
	defer instrument.Region(name).End()
	for began := time.Now(); time.Since(began) < 2*time.Millisecond; {
	}
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
