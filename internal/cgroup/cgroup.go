// Package cgroup finds the control groups of processes.
package cgroup

import (
	"path"
	"slices"
	"strings"
)

// Mount is where control groups are.
const Mount = "/sys/fs/cgroup"

// Dirs returns the directories of the groups that obey a controller, of those that the text of a file /proc/PID/cgroup names, and of all around them, the inner ones
// first: below root, of version 2 of control groups, or below its directory of the controller, of version 1. Within a container, a group may not be visible
// where it is said to be; then the outermost directory is the container's.
func Dirs(root, text, controller string) (dirs []string) {
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) < 3 {
			continue
		}
		top := root
		switch {
		case f[1] == "":
		case slices.Contains(strings.Split(f[1], ","), controller):
			top = path.Join(root, controller)
		default:
			continue
		}
		for group := path.Clean("/" + f[2]); ; group = path.Dir(group) {
			dirs = append(dirs, path.Join(top, group))
			if group == "/" {
				break
			}
		}
	}
	return dirs
}
