//go:build linux

package recorder

import (
	"bytes"
	"strconv"
	"time"

	"tracerec/internal/rawfile"
)

// Numbers say which processes may be younger than the root: processes are numbered in order, until the numbers begin anew behind a limit. If what
// was given last is looked at often enough, it is known whether they did.
type numbers struct {
	root, limit int
	last        int           // that was given when they were looked at,
	at          time.Duration // and when that was
	anew        bool          // they began anew since the root
	unsure      bool          // every number may have been given since the root
}

// quickest is what a process or thread can be made in, whatever the number of processors.
const quickest = 2 * time.Microsecond

// newNumbers begins with a root that was made after a time.
func newNumbers(root, limit int, at time.Duration) numbers {
	return numbers{root: root, limit: limit, last: root, at: at, unsure: limit <= root}
}

// round is the time that passes at least until every number was given.
func (n *numbers) round() time.Duration { return time.Duration(n.limit) * quickest }

// look notes which number was given last, at a time; 0: it is not known.
func (n *numbers) look(last int, at time.Duration) {
	passed := at - n.at
	again := last < n.last
	if last == 0 || passed < 0 || passed >= n.round() || again && n.anew {
		n.unsure = true
	}
	n.anew = n.anew || again
	if n.anew && last >= n.root {
		n.unsure = true
	}
	n.last, n.at = last, at
}

// younger tells whether a process may be younger than the root.
func (n *numbers) younger(pid int) bool {
	return n.unsure || pid >= n.root || n.anew && pid <= n.last
}

// gave says whether a number was given since another one was given last, if not all were.
func (n *numbers) gave(number, since int) bool {
	if since <= n.last {
		return since < number && number <= n.last
	}
	return number > since || number <= n.last
}

// lastNumber returns the number that the system gave last, 0 if it is not known.
func lastNumber() int { return numberIn("/proc/loadavg") }

// mostNumber returns the limit of numbers, 0 if it is not known.
func mostNumber() int { return numberIn("/proc/sys/kernel/pid_max") }

// numberIn returns the last word of a file, a number; 0 if there is none.
func numberIn(path string) int {
	text, _ := rawfile.Read(path)
	words := bytes.Fields(text)
	if len(words) == 0 {
		return 0
	}
	number, _ := strconv.Atoi(string(words[len(words)-1]))
	return number
}
