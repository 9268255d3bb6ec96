package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"tracerec/recorder"
	"tracerec/trace"
)

// bench holds what the parts share.
type bench struct {
	options
	dir   string // of everything built and recorded
	root  string // source of tracerec
	self  string // this program
	table table
}

// newBench builds tracerec, expert and the examples.
func newBench(o options) (*bench, error) {
	b := &bench{options: o}
	var err error
	if b.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if b.dir, err = os.MkdirTemp("", "bench"); err != nil {
		return nil, err
	}
	list, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "tracerec").Output()
	if err != nil {
		b.close()
		return nil, fmt.Errorf("go list: %w; run it in its own directory", err)
	}
	b.root = strings.TrimSpace(string(list))
	if err := b.build("./cmd/tracerec", "./cmd/expert", "./examples/hydro", "./examples/compress", "./examples/kvserver"); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) close() { os.RemoveAll(b.dir) }

// build builds packages of tracerec; args may begin with flags.
func (b *bench) build(args ...string) error {
	cmd := exec.Command("go", slices.Concat([]string{"build", "-o", b.dir + string(filepath.Separator)}, args)...)
	cmd.Dir, cmd.Stderr = b.root, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	return nil
}

// path is where a built program or a file of the measurement lies.
func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// result is what is known about a process that ended well.
type result struct {
	output   string
	elapsed  time.Duration
	user     time.Duration // of the processor, in user mode
	system   time.Duration // and in the kernel
	memory   int64         // most resident bytes
	archive  string        // directory of what was recorded, "" if nothing was
	recorded recorder.Total
	lifetime time.Duration // of the program within its recording
}

func (r *result) processor() time.Duration { return r.user + r.system }

// execute runs a program to a successful end.
func execute(program string, args ...string) (result, error) {
	cmd := exec.Command(program, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	r := result{output: stdout.String(), elapsed: time.Since(start), user: cmd.ProcessState.UserTime(), system: cmd.ProcessState.SystemTime()}
	if err != nil {
		return r, fmt.Errorf("%s %s: %w\n%s", filepath.Base(program), strings.Join(args, " "), err, &stderr)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.memory = usage.Maxrss << 10
	}
	return r, nil
}

// record runs a program under tracerec. The buffer is so large that nothing should be lost; what is, is an error.
func (b *bench) record(resolution string, program string, args ...string) (result, error) {
	archive := b.path("trace.dir")
	if err := os.RemoveAll(archive); err != nil {
		return result{}, err
	}
	r, err := execute(b.path("tracerec"), slices.Concat([]string{"-q", "--buffer", "4G", "--resolution", resolution, "-o", archive, "--", program}, args)...)
	if err != nil {
		return r, err
	}
	r.archive = archive
	a, err := trace.Open(archive)
	if err != nil {
		return r, err
	}
	defer a.Close()
	if r.recorded, err = recorder.Measure(a, archive); err != nil {
		return r, err
	}
	if r.recorded.Lost > 0 {
		return r, fmt.Errorf("%d events were lost", r.recorded.Lost)
	}
	p := a.Definitions().Processes[0]
	r.lifetime = time.Duration(p.End - p.Start)
	return r, nil
}

// runSelf runs this program with other arguments, under tracerec or not.
func (b *bench) runSelf(recorded bool, args ...string) (result, error) {
	if recorded {
		return b.record("64ns", b.self, args...)
	}
	return execute(b.self, args...)
}
