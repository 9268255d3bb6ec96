package recorder

import (
	"fmt"
	"strings"
	"time"
)

// A Window says when a program is recorded: between two times from its start. Beside that, [Control] begins and ends the recording.
type Window struct {
	From, To time.Duration // below 0: never
}

// ParseWindow reads a window as people write it: FROM:TO, each a time such as 10s or 3h or nothing, or ctl for one that only Control opens.
func ParseWindow(text string) (*Window, error) {
	w := &Window{To: -1}
	if text == "ctl" {
		w.From = -1
		return w, nil
	}
	from, to, ok := strings.Cut(text, ":")
	if !ok {
		return nil, fmt.Errorf("%q is neither FROM:TO, such as 10s:20s, nor ctl", text)
	}
	for _, end := range []struct {
		text string
		at   *time.Duration
	}{{from, &w.From}, {to, &w.To}} {
		if end.text == "" {
			continue
		}
		at, err := time.ParseDuration(end.text)
		if err != nil || at < 0 {
			return nil, fmt.Errorf("%q is not a time such as 10s", end.text)
		}
		*end.at = at
	}
	if w.To >= 0 && w.To <= w.From {
		return nil, fmt.Errorf("%q ends before it begins", text)
	}
	return w, nil
}
