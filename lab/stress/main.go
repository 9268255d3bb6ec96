// Command stress records tests of the Go distribution and random programs, in random settings, until its time is over, and says whether they do the same as unrecorded ones, whether
// any hangs, and whether all that was recorded can be analyzed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

var (
	during = flag.Duration("for", time.Hour, "how long")
	turns  = flag.Int("turns", 0, "at most this many turns, 0 for any number")
	first  = flag.Int("first", 0, "number of the first turn, to repeat one")
	seed   = flag.Uint64("seed", uint64(time.Now().Unix()), "of what is chosen")
	only   = flag.String("only", "", "names of what is run, separated by commas: packages of the distribution, and programs")
	work   = flag.String("work", "", "directory for programs and for what failed, kept; default is a temporary one, kept if anything failed")
	family = flag.String("bin", "../bin", "directory of tracerec and expert")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	bin, err := filepath.Abs(*family)
	if err != nil {
		return err
	}
	dir, temporary := *work, *work == ""
	if temporary {
		dir, err = os.MkdirTemp("", "stress-")
	} else if dir, err = filepath.Abs(dir); err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, stop = context.WithTimeout(ctx, *during)
	defer stop()
	s := &session{
		context: ctx, dir: dir, tracerec: filepath.Join(bin, "tracerec"), expert: filepath.Join(bin, "expert"),
		source: filepath.Join(strings.TrimSpace(string(goroot)), "src"), limits: limits{quiet: 3 * time.Minute, computing: 30 * time.Minute},
		programs: map[program]string{}, usual: map[program]map[string]string{}, warnings: map[string]int{},
	}
	fmt.Printf("seed %d, %s\n", *seed, dir)
	s.loop()
	fmt.Print(s.totals)
	for _, warning := range s.said() {
		fmt.Println("  warned:", warning)
	}
	if s.failures > 0 || s.hangs > 0 {
		return errors.New("what failed is in " + dir)
	}
	if temporary {
		return os.RemoveAll(dir)
	}
	return nil
}

// loop takes turns until the time is over. What a turn does depends on nothing but the seed and its number.
func (s *session) loop() {
	names := slices.Concat(distribution, []string{programs})
	if *only != "" {
		names = strings.Split(*only, ",")
	}
	began := time.Now()
	for n := *first; s.context.Err() == nil && (*turns == 0 || n < *first+*turns); n++ {
		r := rand.New(rand.NewPCG(*seed, uint64(n)))
		name, in := names[r.IntN(len(names))], randomSetting(r)
		in.rewrite = in.rewrite && name == programs
		s.turn = fmt.Sprintf("%d %s %v", n, strings.ReplaceAll(name, "/", "."), in)
		var err error
		if name == programs {
			err = s.random(in, r)
		} else {
			err = s.tests(name, in)
		}
		switch {
		case s.context.Err() != nil: // whatever it is, it is because the time is over
		case err != nil:
			s.fail("%v", err)
		default:
			fmt.Printf("%s: good, %v of %v\n", s.turn, s.recorded.Round(time.Second), time.Since(began).Round(time.Second))
		}
		s.turns++
	}
	s.lasted = time.Since(began)
}

// fail notes a failure of this turn.
func (s *session) fail(format string, args ...any) {
	s.failures++
	fmt.Printf("%s: FAILED: %s\n", s.turn, fmt.Sprintf(format, args...))
}

// setting is in what way programs run.
type setting struct {
	procs     int
	gogc      string
	checkmark bool
	race      bool
	rewrite   bool // random programs only
}

var gogcs = []string{"1", "100", "off"}

func randomSetting(r *rand.Rand) setting {
	return setting{
		procs: 1 + r.IntN(1<<r.IntN(5)), gogc: gogcs[r.IntN(len(gogcs))], checkmark: r.IntN(4) == 0, race: r.IntN(4) == 0, rewrite: r.IntN(4) == 0,
	}
}

// environment returns the variables that make the setting.
func (in setting) environment() []string {
	list := []string{fmt.Sprint("GOMAXPROCS=", in.procs), "GOGC=" + in.gogc}
	if in.checkmark {
		list = append(list, "GODEBUG=gccheckmark=1")
	}
	return list
}

func (in setting) String() string {
	s := strings.Join(in.environment(), " ")
	if in.race {
		s += " -race"
	}
	if in.rewrite {
		s += " --rewrite"
	}
	return s
}
