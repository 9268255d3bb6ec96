//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"tracerec/internal/readable"
	"tracerec/internal/session"
	"tracerec/internal/shm"
	"tracerec/recorder/live"
)

// liveOptions are the flags of tracerec live.
type liveOptions struct {
	metric, format string
	interval       time.Duration
	count          int
}

var errNoTerminal = errors.New("there is no terminal to draw on; watch with tracerec live --format text")

// lookEvery is how often the buffers are looked at.
const lookEvery = 20 * time.Millisecond

func newLive() *cobra.Command {
	var o liveOptions
	cmd := &cobra.Command{
		Use:   "live [flags] [DIR|PID]",
		Short: "Watch a recording that goes on, by region and metric",
		Long: `live shows what each region of a program does now, while tracerec records it
from another terminal (DIR is the trace directory it writes, trace.dir by
default; PID a recorded process). Keys switch the metric: executing and waiting
in goroutines on average, visits and the sampled counters per second. The view
reads beside the recorder and disturbs neither it nor the program; leaving it
ends nothing. What began before the view is known as far as its record is still
in memory.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			where := "trace.dir"
			if len(args) > 0 {
				where = args[0]
			}
			dir, err := findSession(where)
			if err != nil {
				return err
			}
			if o.interval < lookEvery {
				return fmt.Errorf("--interval %v: less than %v", o.interval, lookEvery)
			}
			m := live.Attach(dir)
			defer m.Close()
			if err := known(m, o.metric); err != nil {
				return err
			}
			return watch(m, o, cmd.OutOrStdout(), nil, 0)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.metric, "metric", "", "metric to show first (default executing)")
	f.DurationVar(&o.interval, "interval", 250*time.Millisecond, "time between two frames")
	f.IntVar(&o.count, "count", 0, "end after so many frames; 0 is with the recording")
	f.StringVar(&o.format, "format", "screen", "screen, text, or lines of json")
	return cmd
}

// known tells whether a recording has the metric, if it has begun.
func known(m *live.Monitor, metric string) error {
	f := m.Frame()
	if metric == "" || f.Processes == 0 || slices.Contains(f.Metrics, metric) {
		return nil
	}
	return fmt.Errorf("no metric %q in this recording; there are %s", metric, strings.Join(f.Metrics, ", "))
}

// findSession returns the session directory of a trace directory, or of a recorded process.
func findSession(where string) (string, error) {
	if pid, err := strconv.Atoi(where); err == nil {
		if _, err := os.Stat(where); err != nil {
			return sessionOf(pid)
		}
	}
	named, _, err := session.Read(where)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if _, err := os.Stat(where); err != nil {
			return "", fmt.Errorf("%s: no such recording; give the trace directory that tracerec writes, or the number of a recorded process", where)
		}
		return "", fmt.Errorf("%s: its recording is over; see tracerec info %s", where, where)
	case err != nil:
		return "", err
	case !filepath.IsAbs(named):
		return filepath.Join(where, named), nil
	}
	return named, nil
}

// sessionOf finds out into which session a process records.
func sessionOf(pid int) (string, error) {
	environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return "", fmt.Errorf("process %d: %w", pid, errors.Unwrap(err))
	}
	for _, v := range strings.Split(string(environment), "\x00") {
		if text, ok := strings.CutPrefix(v, shm.Environment+"="); ok {
			c, err := shm.ParseConfig(text)
			return c.Dir, err
		}
	}
	return "", fmt.Errorf("process %d is not recorded by tracerec", pid)
}

// watch shows frames until the recording is over, the user has enough, or ended is closed. A view that shares the terminal with
// the program takes only the lowest lines, if there are that many.
func watch(m *live.Monitor, o liveOptions, out io.Writer, ended <-chan struct{}, lines int) error {
	var show func(*perfometer) error
	p := newPerfometer(o.metric)
	keys := make(chan byte)
	switch o.format {
	case "screen":
		s, err := openScreen(lines)
		if err != nil {
			return err
		}
		defer s.close()
		go s.keys(keys)
		show = s.show
	case "text":
		show = func(p *perfometer) error { return writeFrame(out, p) }
	case "json":
		encoder := json.NewEncoder(out)
		show = func(p *perfometer) error { return encoder.Encode(p.frame) }
	default:
		return fmt.Errorf("unknown format %q: screen, text or json", o.format)
	}
	looks, frames := time.NewTicker(lookEvery), time.NewTicker(o.interval)
	defer looks.Stop()
	defer frames.Stop()
	for shown := 0; ; {
		select {
		case <-ended:
			return nil
		case <-looks.C:
			m.Look()
			continue
		case k := <-keys:
			if !p.key(k) {
				return nil
			}
		case <-frames.C:
			p.add(m.Frame())
			shown++
		}
		if err := show(p); err != nil || p.frame.Over || o.count > 0 && shown >= o.count {
			return err
		}
	}
}

// screen is the terminal that a view is drawn on: all of it, or its lowest lines, above which the program writes.
type screen struct {
	tty     *os.File
	before  *unix.Termios
	lines   int
	height  int // of the terminal, when it was split
	resized chan os.Signal
}

func openScreen(lines int) (*screen, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, errNoTerminal
	}
	s := &screen{tty: tty, lines: lines, resized: make(chan os.Signal, 1)}
	if s.before, err = unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS); err != nil {
		tty.Close()
		return nil, fmt.Errorf("/dev/tty: %w", err)
	}
	raw := *s.before
	raw.Lflag &^= unix.ICANON | unix.ECHO // signals stay: Ctrl-C goes to the program
	unix.IoctlSetTermios(int(tty.Fd()), unix.TCSETS, &raw)
	signal.Notify(s.resized, unix.SIGWINCH)
	if lines == 0 {
		tty.WriteString("\x1b[?1049h\x1b[?25l")
	} else {
		s.split()
	}
	return s, nil
}

// split keeps the lowest lines for the view: what the program writes scrolls above them.
func (s *screen) split() {
	_, height := s.size()
	if s.height > 0 { // the view was elsewhere before
		fmt.Fprintf(s.tty, "\x1b7\x1b[r\x1b[%d;1H\x1b[J\x1b8", max(1, min(s.height, height)-s.lines+1))
	}
	s.height = height
	fmt.Fprintf(s.tty, "%s\x1b7\x1b[1;%dr\x1b8\x1b[%dA", strings.Repeat("\n", s.lines), max(1, height-s.lines), s.lines)
}

func (s *screen) size() (width, height int) {
	w, err := unix.IoctlGetWinsize(int(s.tty.Fd()), unix.TIOCGWINSZ)
	if err != nil || w.Col == 0 || w.Row == 0 {
		return 80, 24
	}
	return int(w.Col), int(w.Row)
}

// show draws the view in one write, so that nothing that the program writes comes in between.
func (s *screen) show(p *perfometer) error {
	select {
	case <-s.resized:
		if s.lines > 0 {
			s.split()
		} else {
			s.tty.WriteString("\x1b[2J")
		}
	default:
	}
	width, height := s.size()
	first, n := 1, height
	if s.lines > 0 {
		first, n = max(1, height-s.lines+1), min(s.lines, height)
	}
	var b strings.Builder
	b.WriteString("\x1b7")
	drawn := p.lines(width-1, n)
	for i := range n {
		fmt.Fprintf(&b, "\x1b[%d;1H\x1b[2K", first+i)
		if i < len(drawn) {
			if i == 0 {
				b.WriteString("\x1b[7m" + readable.Elide(drawn[i], max(1, width-1)) + "\x1b[0m")
			} else {
				b.WriteString(readable.Elide(drawn[i], max(1, width-1)))
			}
		}
	}
	b.WriteString("\x1b8")
	_, err := s.tty.WriteString(b.String())
	return err
}

// keys sends what is typed, until the terminal is closed.
func (s *screen) keys(to chan<- byte) {
	var b [16]byte
	for {
		n, err := s.tty.Read(b[:])
		if err != nil {
			return
		}
		if n == 3 && b[0] == 0x1b && b[1] == '[' && b[2] >= 'A' && b[2] <= 'D' {
			to <- up + b[2] - 'A'
			continue
		}
		for _, k := range b[:n] {
			to <- k
		}
	}
}

// close gives the terminal back as it was.
func (s *screen) close() {
	signal.Stop(s.resized)
	if s.lines == 0 {
		s.tty.WriteString("\x1b[?1049l\x1b[?25h")
	} else {
		_, height := s.size()
		fmt.Fprintf(s.tty, "\x1b7\x1b[r\x1b[%d;1H\x1b[J\x1b8", max(1, height-s.lines+1))
	}
	unix.IoctlSetTermios(int(s.tty.Fd()), unix.TCSETS, s.before)
	s.tty.Close()
}

// panel is how many lines the view takes beside a program in the same terminal.
const panel = 12

// liveBeside shows the recording into the trace directory dir, once it has begun, in the lowest lines of the terminal until stop is
// called. Keys go to the view: a program whose standard input is the terminal gets an empty one.
func liveBeside(dir, metric string) (stop func(), err error) {
	if _, err := unix.IoctlGetTermios(int(os.Stdin.Fd()), unix.TCGETS); err == nil {
		if os.Stdin, err = os.Open(os.DevNull); err != nil {
			return nil, err
		}
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, errNoTerminal
	}
	tty.Close()
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ended:
				return
			case <-time.After(lookEvery):
			}
			if _, pid, err := session.Read(dir); err != nil || pid != os.Getpid() {
				continue // not begun: this is of an older recording
			}
			if where, err := findSession(dir); err == nil {
				m := live.Attach(where)
				defer m.Close()
				watch(m, liveOptions{metric: metric, format: "screen", interval: 250 * time.Millisecond}, io.Discard, ended, panel)
				return
			}
		}
	}()
	return func() { close(ended); <-done }, nil
}
