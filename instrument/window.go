package instrument

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"tracerec/internal/clock"
	"tracerec/internal/rawfile"
	"tracerec/internal/shm"
)

// wanted tells whether the recorder has a file in the session directory that says that this process is to be recorded now.
func wanted(c shm.Config) bool {
	_, err := rawfile.Read(filepath.Join(c.Dir, shm.OnFile))
	return err == nil
}

// follow records while that is wanted, for the life of the process or the session. on says whether it is recorded at first.
func follow(c shm.Config, on bool) {
	quiet(1) // what this goroutine does is not the program's
	for {
		clock.Pause(10 * time.Millisecond)
		switch now := wanted(c); {
		case now && !on:
			if err := Attach(c); err != nil {
				tell(c.Dir, err)
				return
			}
			on = true
		case !now && on:
			Detach()
			on = false
		case !now:
			if _, err := rawfile.Read(c.Dir); errors.Is(err, fs.ErrNotExist) {
				return
			}
		}
	}
}
