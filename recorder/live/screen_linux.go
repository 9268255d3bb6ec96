package live

import (
	"fmt"
	"os"
	"os/signal"
	"strings"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"tracerec/internal/readable"
)

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
	width, height, err := term.GetSize(int(s.tty.Fd()))
	if err != nil || width == 0 || height == 0 {
		return 80, 24
	}
	return width, height
}

// show draws the view in one write, so that nothing that the program writes comes in between.
func (s *screen) show(p *view) error {
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
