//go:build linux

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/pprof"

	"tracerec/recorder/simulated"
	"tracerec/simulator/cache"
	"tracerec/simulator/linux"
)

// simulate runs a program on the simulator and prints how many instructions it executed. Without a machine nothing is counted:
// only programs that are counted pay for it.
func simulate(args []string) (err error) {
	flags := flag.NewFlagSet("simulate", flag.ExitOnError)
	machine := flags.String("machine", "", "the machine whose caches are modelled")
	classify := flags.Bool("classify", false, "tell misses apart by kind")
	profile := flags.String("profile", "", "write a CPU profile to this `file`")
	flags.Parse(args)
	if flags.NArg() == 0 {
		return errors.New("simulate: no program")
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer func() {
			pprof.StopCPUProfile()
			f.Close()
		}()
	}
	n, err := instructionsOf(flags.Args(), *machine, *classify, io.Discard)
	if err == nil {
		fmt.Println(n)
	}
	return err
}

// instructionsOf runs a program on the simulator.
func instructionsOf(args []string, machine string, classify bool, stdout io.Writer) (instructions uint64, err error) {
	if machine != "" {
		m, err := cache.Named(machine)
		if err != nil {
			return 0, err
		}
		r, err := simulated.Run(simulated.Options{Program: args[0], Args: args, Stdout: stdout, Stderr: os.Stderr, Machine: m, Classify: classify, Seed: 1})
		if err != nil {
			return 0, err
		}
		return r.Instructions, nil
	}
	program, err := os.ReadFile(args[0])
	if err != nil {
		return 0, err
	}
	k, err := linux.New(program, linux.Options{Args: args, Stdout: stdout, Stderr: os.Stderr, Seed: 1})
	if err != nil {
		return 0, err
	}
	defer k.Close()
	_, err = k.Run()
	return k.Instructions(), err
}

// work is a program of the comparison: what it does, and how many times, so that an emulator needs some tenths of a second.
type work struct {
	kind  string
	times int
}

var works = []work{{"loop", 6}, {"matrix", 10}, {"map", 4}, {"channel", 3}, {"sort", 3}, {"flate", 3}}

// subject is a way to run a program: the command before it, for which processor it is built, how many times as often the work is
// done, and what was measured: seconds of the processor in user mode, for doing it once as often. Others may use the machine as
// well, so the least of them counts.
type subject struct {
	name    string
	command []string
	goarch  string
	more    int
	seconds float64
	output  string
}

// run measures once more.
func (s *subject) run(program string, w work) error {
	args := append(s.command[:len(s.command):len(s.command)], program, w.kind, fmt.Sprint(s.more*w.times))
	r, err := execute(args[0], args[1:]...)
	if err == nil {
		s.seconds, s.output = min(s.seconds, r.user.Seconds()/float64(s.more)), r.output
	}
	return err
}

// subjects returns the ways to run a program; those that are not installed are left out, and said to be.
func (b *bench) subjects() (all []*subject) {
	simulator := []string{b.self, "simulate"}
	for _, s := range []*subject{
		{name: "native", goarch: runtime.GOARCH, more: 10},
		{name: "plain", command: simulator, goarch: "riscv64"},
		{name: "qemu-riscv64", command: []string{"qemu-riscv64"}, goarch: "riscv64"},
		{name: "bgl", command: append(simulator[:2:2], "-machine", "bgl"), goarch: "riscv64"},
		{name: "server", command: append(simulator[:2:2], "-machine", "server"), goarch: "riscv64"},
		{name: "server, misses told apart", command: append(simulator[:2:2], "-machine", "server", "-classify"), goarch: "riscv64"},
		{name: "cachegrind", command: []string{"valgrind", "-q", "--tool=cachegrind", "--cachegrind-out-file=" + os.DevNull}, goarch: runtime.GOARCH},
	} {
		if len(s.command) > 0 {
			if _, err := exec.LookPath(s.command[0]); err != nil {
				fmt.Fprintf(os.Stderr, "%s is not compared with: %v\n", s.name, err)
				continue
			}
		}
		s.more = max(s.more, 1)
		all = append(all, s)
	}
	return all
}

// buildWorkload builds the programs of the comparison, for this processor and for the simulator.
func (b *bench) buildWorkload() error {
	for _, goarch := range []string{runtime.GOARCH, "riscv64"} {
		cmd := exec.Command("go", "build", "-o", b.path("workload."+goarch), "./workload")
		cmd.Env, cmd.Stderr = append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0", "GOARCH="+goarch), os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go build for %s: %w", goarch, err)
		}
	}
	return nil
}

// simulator compares the simulator with an emulator that counts nothing, and with a simulator of caches: the same sources, in turns.
func (b *bench) simulator() error {
	if err := b.buildWorkload(); err != nil {
		return err
	}
	for _, w := range works {
		all := b.subjects()
		for round := range b.rounds {
			for _, s := range all {
				if round == 0 {
					s.seconds = math.Inf(1)
				}
				if err := s.run(b.path("workload."+s.goarch), w); err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
			}
		}
		if err := b.compareSimulators(w, all); err != nil {
			return err
		}
	}
	return nil
}

// compareSimulators adds the lines of one program.
func (b *bench) compareSimulators(w work, all []*subject) error {
	by := map[string]*subject{}
	for _, s := range all {
		by[s.name] = s
	}
	var instructions float64
	if _, err := fmt.Sscan(by["plain"].output, &instructions); err != nil {
		return fmt.Errorf("%q: %w", by["plain"].output, err)
	}
	for _, pair := range [][2]string{{"plain", "qemu-riscv64"}, {"bgl", "cachegrind"}, {"server", "cachegrind"}, {"server, misses told apart", "cachegrind"}} {
		ours, peer := by[pair[0]], by[pair[1]]
		l := line{what: fmt.Sprintf("simulator, %s, %s", w.kind, ours.name), goal: "≤ 3×"}
		l.ours = fmt.Sprintf("%.2f s, %.0f MIPS, slow-down %.0f", ours.seconds, instructions/1e6/ours.seconds, ours.seconds/by["native"].seconds)
		if peer != nil {
			l.peer, l.ratio = fmt.Sprintf("%.2f s %s", peer.seconds, peer.name), times(ours.seconds/peer.seconds)
		}
		b.table.add(l)
	}
	return nil
}
