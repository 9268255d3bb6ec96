//go:build linux

package recorder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"tracerec/internal/sessionfile"
	"tracerec/internal/shm"
)

// windowFile is in a session directory whose processes look for [shm.OnFile].
const windowFile = "window"

// openWindow prepares the session directory for a window, before the program starts.
func (r *Recorder) openWindow() error {
	err := os.WriteFile(r.session.path(windowFile), nil, 0o600)
	if err == nil && r.o.Window.From == 0 {
		err = turn(r.session.dir, true)
	}
	return err
}

// keepWindow opens and closes the window at its times.
func (r *Recorder) keepWindow() {
	for _, end := range []struct {
		at time.Duration
		on bool
	}{{r.o.Window.From, true}, {r.o.Window.To, false}} {
		if end.at < 0 {
			continue
		}
		select {
		case <-r.stop:
			return
		case <-time.After(end.at - time.Since(time.Unix(0, r.began.Wall))):
			turn(r.session.dir, end.on) // if there is no session directory any more, nothing is recorded
		}
	}
}

// turn begins or ends the recording of a session.
func turn(session string, on bool) error {
	name := filepath.Join(session, shm.OnFile)
	if on {
		return os.WriteFile(name, nil, 0o600)
	}
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Control begins or ends the recording into a trace directory, or that of the process with this number. It must have been started with
// a window.
func Control(which string, on bool) error {
	session, err := sessionOf(which)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(session, windowFile)); err != nil {
		return fmt.Errorf("%s: the recording was not started with --window", which)
	}
	return turn(session, on)
}

// sessionOf returns the session directory of a trace directory or of a process.
func sessionOf(which string) (string, error) {
	if pid, err := strconv.Atoi(which); err == nil {
		environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil {
			return "", err
		}
		for v := range bytes.SplitSeq(environment, []byte{0}) {
			if text, ok := bytes.CutPrefix(v, []byte(shm.Environment+"=")); ok {
				c, err := shm.ParseConfig(string(text))
				return c.Dir, err
			}
		}
		return "", fmt.Errorf("process %d is not recorded", pid)
	}
	named, _, err := sessionfile.Read(which)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s: no recording goes on there", which)
	case err == nil && !filepath.IsAbs(named):
		named = filepath.Join(which, named)
	}
	return named, err
}
