//go:build linux

package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"tracerec/internal/readable"
	"tracerec/internal/sessionfile"
)

var errNoTerminal = errors.New("there is no terminal to draw on; use tracerec live --format text")

// Watch shows the recording of a session directory until it is over or the user has enough.
func Watch(dir string, o Options, out io.Writer) error {
	m := attach(dir)
	defer m.Close()
	if err := known(m, o.Metric); err != nil {
		return err
	}
	return watch(m, o, out, nil, 0)
}

// known tells whether a recording has the metric, if it has begun.
func known(m *monitor, metric string) error {
	f := m.Frame()
	if metric == "" || f.Processes == 0 || slices.Contains(f.Metrics, metric) {
		return nil
	}
	return fmt.Errorf("this recording has no metric %q; it has %s", metric, strings.Join(f.Metrics, ", "))
}

// watch shows frames until the recording is over, the user has enough, or ended is closed. A view that shares the terminal with
// the program takes only the lowest lines, if there are that many.
func watch(m *monitor, o Options, out io.Writer, ended <-chan struct{}, lines int) error {
	var show func(*view) error
	p := newView(o.Metric)
	keys := make(chan byte)
	switch o.Format {
	case "screen":
		s, err := openScreen(lines)
		if err != nil {
			return err
		}
		defer s.close()
		go s.keys(keys)
		show = s.show
	case "text":
		show = func(p *view) error { return writeFrame(out, p) }
	case "json":
		encoder := json.NewEncoder(out)
		show = func(p *view) error { return encoder.Encode(p.frame) }
	default:
		return fmt.Errorf("unknown format %q: neither screen, text nor json", o.Format)
	}
	looks, frames := time.NewTicker(Shortest), time.NewTicker(o.Interval)
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
		if err := show(p); err != nil || p.frame.Over || o.Count > 0 && shown >= o.Count {
			return err
		}
	}
}

// panel is how many lines the view takes beside a program in the same terminal.
const panel = 12

// Beside shows the recording into the trace directory dir, once it has begun, in the lowest lines of the terminal until stop is
// called. Keys go to the view: a program whose standard input is the terminal gets an empty one.
func Beside(dir, metric string) (stop func(), err error) {
	if readable.Terminal(os.Stdin) {
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
			case <-time.After(Shortest):
			}
			if _, pid, err := sessionfile.Read(dir); err != nil || pid != os.Getpid() {
				continue // not begun: this is of an older recording
			}
			if where, err := Find(dir); err == nil {
				m := attach(where)
				defer m.Close()
				watch(m, Options{Metric: metric, Format: "screen", Interval: 250 * time.Millisecond}, io.Discard, ended, panel)
				return
			}
		}
	}()
	return func() { close(ended); <-done }, nil
}
