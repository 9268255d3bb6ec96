//go:build linux

package recorder

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"tracerec/internal/rawfile"
	"tracerec/internal/shm"
)

// A family is the program and the processes that descend from it, as the system shows them. Those that are instrumented join
// the session on their own, unless the environment that would tell them of it was emptied, or the session is over before they come to it.
// The family says for whom to wait, and who is missed. A process that lives shorter than the time between two looks is not seen.
type family struct {
	session    string // as the environment of members names it
	members    map[int]*member
	exes       map[exeID]bool // whether an executable is instrumented
	begins     bool           // a process of the system was seen to begin, that may be told of the session
	next       time.Time      // when to look again: that takes little of the time
	nextSearch time.Time      // and when to search again
	numbers    numbers        // which processes may be younger than the root
	strangers  map[int]bool   // processes that a search found not to be of the family
	searched   int            // the number that was given last when that was
}

// A member is a process of the family.
type member struct {
	pid      int
	inside   string // its number in its own name space, as it knows it
	born     uint64 // time of start, in ticks
	image    uint64 // address that differs between programs that a process executes one after the other, mostly
	command  string
	told     bool // it is instrumented, and its environment names the session
	begins   bool // it begins to execute a program, and has no environment yet
	reported bool // it is counted as not recorded
}

// exeID tells executables apart.
type exeID struct {
	dev, ino uint64
	changed  int64
}

// newFamily begins with a root that was started after a time of the monotonic clock.
func newFamily(root int, session string, began int64) *family {
	f := &family{session: shm.Config{Dir: session}.String(), members: map[int]*member{}, exes: map[exeID]bool{}, strangers: map[int]bool{}, searched: root}
	f.numbers = newNumbers(root, mostNumber(), time.Duration(began))
	f.next = time.Now().Add(firstLook)
	f.members[root] = &member{pid: root}
	return f
}

// Looks take at most one part in lookShare of the time. Before the first one, most programs begin to record: then less has to be
// found out about them.
const (
	lookShare = 50
	firstLook = 2 * shortestPoll
)

// look finds new members among the children of those known, and what became of these.
func (f *family) look(r *Recorder) {
	start := time.Now()
	if f == nil || start.Before(f.next) {
		return
	}
	for pid := range f.members {
		f.visit(r, pid)
	}
	f.next = time.Now().Add(lookShare * time.Since(start))
}

// visit looks at a process and its children. One that is still its parent's copy is none of its own: os.StartProcess makes some that end as
// such, and others become another program.
func (f *family) visit(r *Recorder, pid int) {
	s, ok := readStatus(pid)
	m := f.members[pid]
	if !ok || m != nil && m.born != 0 && m.born != s.born {
		if m != nil {
			f.gone(r, m)
		}
		return
	}
	if m == nil {
		m = &member{pid: pid}
		f.members[pid] = m
	}
	m.born, m.begins = s.born, s.begins(pid)
	if s.image != m.image && s.image != 0 && !s.copied {
		m.image = s.image
		if f.identify(r, m); m.command == "" {
			m.image = 0 // it is just beginning
		}
	}
	for _, child := range childrenOf(pid) {
		if f.members[child] == nil || f.members[child].image == 0 {
			f.visit(r, child)
		}
	}
}

// identify finds out what a process executes, and whether it knows of the session.
func (f *family) identify(r *Recorder, m *member) {
	if p := r.recording(m); p != nil { // it has answered all that is asked here
		m.told, m.inside, m.command = true, strconv.Itoa(m.pid), p.command()
		return
	}
	m.told, m.inside = false, insideOf(m.pid)
	m.command = commandOf(m.pid)
	environment, err := rawfile.Read(fmt.Sprintf("/proc/%d/environ", m.pid))
	if err != nil || m.command == "" || !f.instrumented(m.pid) {
		return // another user's, or none that could be recorded
	}
	switch value, found := variable(environment, shm.Environment); {
	case !found && m.begun(): // the environment was that of a program that it only begins to execute
		m.command = ""
	case !found: // what it executed before may have joined
		f.note(r, m, "its environment lacks the variable "+shm.Environment)
	case value != f.session && !strings.HasPrefix(value, f.session+","): // of another recorder
	case !f.reaches(r, m.pid):
		f.report(r, m, "it cannot reach the session directory "+r.session.dir)
	default:
		m.told = true
	}
}

// recording returns what records the program that a member executes, nil if nothing does.
func (r *Recorder) recording(m *member) *process {
	for _, p := range r.procs {
		if p.info.PID == m.pid && p.info.Born == m.born && p.machine == nil && !p.hidden && !p.over && p.view.Alive() {
			return p
		}
	}
	return nil
}

// begun tells whether a process has left the program in which it was found, for the next one.
func (m *member) begun() bool {
	s, ok := readStatus(m.pid)
	return ok && s.image != m.image
}

// reaches tells whether a process sees the file system in which the session is.
func (f *family) reaches(r *Recorder, pid int) bool {
	root := fmt.Sprintf("/proc/%d/root", pid)
	_, err := os.Stat(root + r.session.dir)
	if _, ended := os.Stat(root + "/"); ended != nil {
		return true
	}
	return !errors.Is(err, fs.ErrNotExist) || r.session.gone
}

// gone notes the end of a process. One that was told of the session and neither joined nor said why did not get so far.
func (f *family) gone(r *Recorder, m *member) {
	delete(f.members, m.pid)
	if m.told {
		r.join()
		f.report(r, m, "it ended before it began to record")
	}
}

// report counts a process as not recorded, unless it joined or said why it did not.
func (f *family) report(r *Recorder, m *member, why string) {
	if !f.answered(r, m) {
		f.note(r, m, why)
	}
}

// note counts a process as not recorded.
func (f *family) note(r *Recorder, m *member, why string) {
	if m.reported {
		return
	}
	if r.session.gone {
		why = "the session directory " + r.session.dir + " was removed during the run"
	}
	m.reported = true
	r.unrecorded = append(r.unrecorded, unrecorded{m.pid, m.command, why})
}

// answered tells whether a process joined, or left a note.
func (f *family) answered(r *Recorder, m *member) bool {
	if r.o.Window != nil {
		return true // it may be that it has not come yet
	}
	prefix := m.inside + "-"
	for name := range r.names {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for name := range r.unmapped {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// count looks at the numbers of processes before all of them can have been given.
func (f *family) count(now int64) {
	if f != nil && time.Duration(now)-f.numbers.at >= f.numbers.round()/4 {
		f.numbers.look(lastNumber(), time.Duration(now))
	}
}

// search looks for members among all processes of the system that are younger than the root: those whose parents have ended are found by the
// session that their environment names. Who is no member then does not become one: only members know the session.
func (f *family) search(r *Recorder) {
	start := time.Now()
	if f == nil || start.Before(f.nextSearch) {
		return
	}
	f.next, f.begins = time.Time{}, false
	f.look(r)
	f.numbers.look(lastNumber(), time.Duration(r.machine.monotonic()))
	maps.DeleteFunc(f.strangers, func(pid int, _ bool) bool { return f.numbers.unsure || f.numbers.gave(pid, f.searched) })
	f.strangers[os.Getpid()], f.searched = true, f.numbers.last
	for _, pid := range processes() {
		if f.numbers.younger(pid) && f.members[pid] == nil && !f.strangers[pid] {
			f.meet(r, pid)
		}
	}
	f.nextSearch = time.Now().Add(lookShare * time.Since(start))
}

// meet finds out whether a process is a member.
func (f *family) meet(r *Recorder, pid int) {
	environment, err := rawfile.Read(fmt.Sprintf("/proc/%d/environ", pid))
	if bytes.Contains(environment, []byte(shm.Environment+"="+f.session)) {
		f.visit(r, pid)
	} else if s, ok := readStatus(pid); err == nil && len(environment) == 0 && ok && s.begins(pid) {
		f.begins = true
	} else if len(environment) > 0 || s.kernel { // else it may have been about to get one
		f.strangers[pid] = true
	}
}

// expects tells whether a process is about to join.
func (f *family) expects(r *Recorder) bool {
	if f == nil || r.session.gone {
		return false
	}
	f.search(r)
	f.look(r)
	if f.awaits(r) {
		return true
	}
	f.nextSearch = time.Time{} // whoever ended since the last one may have started others
	f.search(r)
	return f.awaits(r)
}

// awaits tells whether a member is about to join, or somebody who may be one.
func (f *family) awaits(r *Recorder) bool {
	for _, m := range f.members {
		if (m.told || m.begins) && !m.reported && !f.answered(r, m) && !stopped(m.pid) {
			return true
		}
	}
	return f.begins
}

// end counts the processes that have not joined by now.
func (f *family) end(r *Recorder) {
	if f == nil {
		return
	}
	f.next = time.Time{}
	f.look(r)
	r.join()
	for _, m := range f.members {
		if m.told {
			f.report(r, m, "it had not begun to record when the recording ended")
		}
	}
}

// instrumented tells whether the executable of a process has package instrument in it: the names of its functions are in a
// section that no linker leaves out.
func (f *family) instrumented(pid int) bool {
	path := fmt.Sprintf("/proc/%d/exe", pid)
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return false
	}
	id := exeID{uint64(st.Dev), st.Ino, st.Mtim.Nano()}
	known, ok := f.exes[id]
	if !ok {
		known = imports(path)
		f.exes[id] = known
	}
	return known
}

// imports tells whether a file is a Go program that imports package instrument.
func imports(path string) bool {
	file, err := elf.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	for _, section := range file.Sections {
		if strings.HasSuffix(section.Name, "gopclntab") {
			return contains(section.Open(), "tracerec/instrument.")
		}
	}
	return false
}

// contains tells whether a text is in what is read.
func contains(from io.Reader, text string) bool {
	buf, kept := make([]byte, 64<<10), 0
	for {
		n, err := from.Read(buf[kept:])
		if read := buf[:kept+n]; bytes.Contains(read, []byte(text)) {
			return true
		} else if kept = copy(buf, read[max(0, len(read)-len(text)):]); err != nil {
			return false
		}
	}
}

// status is what /proc/PID/stat says of a process.
type status struct {
	born, image uint64
	state       byte
	copied      bool // it was forked, and has executed no program since
	kernel      bool // it is a thread of the system's own
	ending      bool // it has begun to end
}

// bare tells of a process that is not the kernel's that it executes a program without environment, not even an empty one, or is not ours to see.
func (s status) bare() bool { return s.image == 0 && !s.copied && !s.kernel }

// begins tells whether a process is on its way into a program: it has no environment yet.
func (s status) begins(pid int) bool {
	if !s.bare() {
		return false
	}
	environment, err := rawfile.Read(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && len(environment) == 0 // of others' processes nothing is known
}

// readStatus returns false if the process has ended.
func readStatus(pid int) (s status, ok bool) {
	text, err := rawfile.Read(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return status{}, false
	}
	return parseStatus(text)
}

func parseStatus(text []byte) (s status, ok bool) {
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const state, flags, born, environment = 0, 6, 19, 48          // environment: the address at which it ends, which is known last
	const exiting, forkNoExec, kernelThread = 0x4, 0x40, 0x200000 // PF_EXITING, PF_FORKNOEXEC and PF_KTHREAD of Linux
	if len(fields) <= environment {
		return status{}, false
	}
	s.state = fields[state][0]
	set, _ := strconv.ParseUint(string(fields[flags]), 10, 64)
	s.copied, s.kernel, s.ending = set&forkNoExec != 0, set&kernelThread != 0, set&exiting != 0
	s.born, _ = strconv.ParseUint(string(fields[born]), 10, 64)
	s.image, _ = strconv.ParseUint(string(fields[environment]), 10, 64)
	return s, s.state != 'Z' && s.state != 'X'
}

// stopped tells whether a process is stopped by a signal or a debugger: nobody knows when it goes on.
func stopped(pid int) bool {
	s, ok := readStatus(pid)
	return ok && (s.state == 'T' || s.state == 't')
}

// namesIn returns the names of what is in a directory, as far as it can be read, in any order.
func namesIn(dir string) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	return names
}

// processes returns the processes of the system.
func processes() (pids []int) {
	for _, name := range namesIn("/proc") {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// childrenOf returns the living children of a process.
func childrenOf(pid int) (children []int) {
	tasks := fmt.Sprintf("/proc/%d/task/", pid)
	threads := namesIn(tasks)
	for _, thread := range threads { // filepath.Glob would list the directory of each, which takes ten times as long
		text, _ := rawfile.Read(tasks + thread + "/children")
		for _, word := range bytes.Fields(text) {
			if child, err := strconv.Atoi(string(word)); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}

// insideOf returns the number of a process in the name space of processes in which it is.
func insideOf(pid int) string {
	inside := strconv.Itoa(pid)
	text, _ := rawfile.Read(fmt.Sprintf("/proc/%d/status", pid))
	if _, line, found := bytes.Cut(text, []byte("\nNSpid:")); found {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		for _, number := range bytes.Fields(line) {
			inside = string(number)
		}
	}
	return inside
}

// commandOf returns the command line of a process.
func commandOf(pid int) string {
	line, _ := rawfile.Read(fmt.Sprintf("/proc/%d/cmdline", pid))
	return strings.TrimSpace(string(bytes.ReplaceAll(line, []byte{0}, []byte{' '})))
}

// variable returns a variable of an environment.
func variable(environment []byte, name string) (value string, found bool) {
	for _, v := range bytes.Split(environment, []byte{0}) {
		if text, ok := bytes.CutPrefix(v, []byte(name+"=")); ok {
			return string(text), true
		}
	}
	return "", false
}
