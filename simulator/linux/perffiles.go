//go:build linux

package linux

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"tracerec/internal/perfevent"
	"tracerec/simulator/memory"
)

// shownFile returns the content of a file in which the kernel tells of the PMU and of the processors, or the names in a
// directory of such.
func (m *perf) shownFile(name string) (content string, names []string) {
	if m == nil {
		return "", nil
	}
	if m.files == nil {
		m.files = m.listFiles()
	}
	files := m.files
	if content, ok := files[name]; ok {
		return content, nil
	}
	for f := range files {
		if rest, ok := strings.CutPrefix(f, name+"/"); ok {
			first, _, _ := strings.Cut(rest, "/")
			names = append(names, first)
		}
	}
	slices.Sort(names)
	return "", slices.Compact(names)
}

// listFiles returns all of them.
func (m *perf) listFiles() map[string]string {
	const devices, system = "/sys/bus/event_source/devices/", "/sys/devices/system/cpu/"
	unit := devices + m.unit.Device
	all := map[string]string{
		"/proc/sys/kernel/perf_event_paranoid":        fmt.Sprintln(m.unit.Paranoid),
		"/proc/sys/kernel/perf_event_max_sample_rate": "1000000\n",
		system + "online":                             fmt.Sprintf("0-%d\n", len(m.cpus)-1),
		devices + "software/type":                     fmt.Sprintln(perfevent.Software),
		unit + "/type":                                fmt.Sprintln(perfevent.Raw),
		unit + "/format/event":                        "config:0-15\n",
		unit + "/caps/counters":                       fmt.Sprintln(m.unit.Counters),
		unit + "/caps/counter_width":                  fmt.Sprintln(m.unit.Bits),
	}
	for _, e := range m.counted {
		all[unit+"/events/"+e.Name] = fmt.Sprintf("event=%#x\n", e.Code)
	}
	for i := range m.cpus {
		all[system+"cpu"+strconv.Itoa(i)+"/online"] = "1\n"
	}
	return all
}

// openShown opens such a file or directory, nil if there is none.
func (m *perf) openShown(name string) file {
	switch content, names := m.shownFile(name); {
	case content != "":
		return &text{rest: content}
	case names != nil:
		d := &directory{}
		for _, n := range names {
			_, below := m.shownFile(name + "/" + n)
			d.entries = append(d.entries, shownEntry{n, below != nil})
		}
		return d
	}
	return nil
}

// statShown stores what is known of such a file; false if there is none.
func (t *thread) statShown(at uint64, name string) (errno, bool) {
	switch content, names := t.k.perf.shownFile(name); {
	case content != "":
		return t.stat(at, t.k.fs.inode(name), modeRegular|0o444, int64(len(content))), true
	case names != nil:
		return t.stat(at, t.k.fs.inode(name), modeDirectory|0o555, memory.PageSize), true
	}
	return 0, false
}

// shownEntry is an entry of such a directory.
type shownEntry struct {
	name      string
	directory bool
}

func (e shownEntry) Name() string             { return e.name }
func (e shownEntry) IsDir() bool              { return e.directory }
func (shownEntry) Info() (fs.FileInfo, error) { return nil, syscall.ENOSYS }
func (e shownEntry) Type() fs.FileMode {
	if e.directory {
		return fs.ModeDir
	}
	return 0
}
