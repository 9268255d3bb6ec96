package live

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"tracerec/internal/sessionfile"
	"tracerec/internal/shm"
)

// Find returns the session directory of a trace directory, or of a recorded process.
func Find(where string) (string, error) {
	if pid, err := strconv.Atoi(where); err == nil {
		if _, err := os.Stat(where); err != nil {
			return sessionOf(pid)
		}
	}
	named, _, err := sessionfile.Read(where)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if _, err := os.Stat(where); err != nil {
			return "", fmt.Errorf("%s: no such recording; give the trace directory that tracerec writes, or the ID of a recorded process", where)
		}
		return "", fmt.Errorf("%s: the recording has ended; see tracerec info %s", where, where)
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
	return "", fmt.Errorf("tracerec does not record process %d", pid)
}
