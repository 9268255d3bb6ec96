// Command subject is the measured program of tests. Its first argument says what it does.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"tracerec/instrument"
)

var modes = map[string]func(args []string){
	"regions":  regions,
	"sequence": sequence,
	"signals":  signals,
	"family":   family,
	"outlive":  outlive,
	"windows":  windows,
	"idle":     func([]string) {},
	"exit":     func(args []string) { regions([]string{"10"}); os.Exit(number(args, 0)) },
	"panic":    func([]string) { regions([]string{"10"}); panic("as asked") },
	"die": func(args []string) {
		regions([]string{"10"})
		syscall.Kill(os.Getpid(), syscall.Signal(number(args, 0)))
		time.Sleep(time.Hour) // select {} is a deadlock, of which Go tells while the signal ends it: both may wait for each other for ever
	},
}

func main() { modes[os.Args[1]](os.Args[2:]) }

// endWithInput ends what would go on for ever with its input, if that is a pipe: a test holds its other end, and lets go however it ends.
func endWithInput() {
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		go func() {
			io.Copy(io.Discard, os.Stdin)
			os.Exit(1)
		}()
	}
}

// windows N: waits until it is recorded and until it is not, N times. It enters a region and writes a line then.
func windows(args []string) {
	endWithInput()
	fmt.Println("ready")
	for i := range 2 * number(args, 0) {
		recorded := i%2 == 0
		for instrument.Enabled() != recorded {
			time.Sleep(time.Millisecond)
		}
		instrument.Region(fmt.Sprint("recorded ", recorded)).End()
		fmt.Println(recorded)
	}
}

func number(args []string, i int) int {
	n, err := strconv.Atoi(args[i])
	if err != nil {
		panic(err)
	}
	return n
}

// regions N: four goroutines of N regions each.
func regions(args []string) {
	n := number(args, 0)
	var group instrument.WaitGroup
	for range 4 {
		group.Go(func() {
			for range n {
				instrument.Region("work").End()
			}
		})
	}
	group.Wait()
}

// sequence: two goroutines record samples, numbered from 1, and print each number once the call that
// recorded it has returned; a third makes short-lived goroutines. It never ends.
func sequence([]string) {
	endWithInput()
	for name := range 2 {
		go func() {
			metric := instrument.NewMetric(fmt.Sprint("sequence ", name), "")
			for i := 1; ; i++ {
				region := instrument.Region("step")
				metric.Sample(int64(i))
				syscall.Write(1, fmt.Appendf(nil, "%d %d\n", name, i))
				region.End()
			}
		}()
	}
	for {
		done := make(chan bool)
		instrument.Go(func() { instrument.Region("short").End(); close(done) })
		<-done
		time.Sleep(100 * time.Microsecond)
	}
}

// signals [N]: prints "ready", then the signals it gets until SIGTERM, which ends it with status 7. Before it prints
// SIGUSR1, it records N regions.
func signals(args []string) {
	defer instrument.Region("listen").End()
	received := make(chan os.Signal, 16)
	signal.Notify(received, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1)
	endWithInput()
	fmt.Println("ready")
	for s := range received {
		if s == syscall.SIGUSR1 && len(args) > 0 {
			regions(args)
		}
		fmt.Println(s)
		if s == syscall.SIGTERM {
			os.Exit(7)
		}
	}
}

// family N: N children of 10 regions each.
func family(args []string) {
	var children sync.WaitGroup
	for range number(args, 0) {
		children.Go(func() {
			defer instrument.Region("child").End()
			child := exec.Command(os.Args[0], "regions", "10")
			if err := child.Run(); err != nil {
				panic(err)
			}
		})
	}
	children.Wait()
}

// outlive: starts a child and ends when it has begun to record; the child goes on until its input ends.
// outlive child: that child.
func outlive(args []string) {
	defer instrument.Region("life").End()
	if len(args) == 1 {
		os.Stdout.Close()
		io.Copy(io.Discard, os.Stdin)
		return
	}
	child := exec.Command(os.Args[0], "outlive", "child")
	child.Stdin = os.Stdin
	out, _ := child.StdoutPipe()
	if err := child.Start(); err != nil {
		panic(err)
	}
	out.Read(make([]byte, 1))
}
