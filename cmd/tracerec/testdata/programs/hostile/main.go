// Command hostile does what its first argument says, of all that programs do to themselves: to their descriptors, limits, rights and
// processes. Then it records so much that its buffer has to grow, and says what it sees. Without argument it lists what it can do.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"tracerec/instrument"
)

var variants = map[string]func(){
	"nothing":                 func() {},
	"close 3 to 63":           func() { closeFrom(3) },
	"close 0 to 63":           func() { say("closing"); closeFrom(0) },
	"close regular files":     closeRegular,
	"close range":             func() { unix.CloseRange(3, ^uint(0)>>1, 0) },
	"close range on exec":     func() { unix.CloseRange(3, ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC); become("AGAIN=1") },
	"close what /proc lists":  closeListed,
	"close stdout":            func() { say("closing"); syscall.Close(1) },
	"close stderr":            func() { syscall.Close(2) },
	"close stdin":             func() { syscall.Close(0) },
	"files under all numbers": func() { closeFrom(3); open(20) },
	"duplicates everywhere":   func() { file := open(1)[0]; each(3, 40, func(fd int) { unix.Dup3(file, fd, 0) }) },
	"pipe under all numbers":  func() { unix.CloseRange(3, ^uint(0)>>1, 0); everywhere(); work(); untouched() },
	"no descriptor left":      exhaust,
	"limit of descriptors":    func() { limit(unix.RLIMIT_NOFILE, 5) },
	"limit and none left":     func() { limit(unix.RLIMIT_NOFILE, 20); exhaust() },
	"limit of file size":      func() { limit(unix.RLIMIT_FSIZE, 100) },
	"no file size":            func() { limit(unix.RLIMIT_FSIZE, 0) },
	"no descriptors at all":   func() { limit(unix.RLIMIT_NOFILE, 0) },
	"only three descriptors":  func() { limit(unix.RLIMIT_NOFILE, 3) },
	"limit of memory":         func() { limit(unix.RLIMIT_AS, mapped()+arena+64<<20) },
	"limit of core dumps":     func() { limit(unix.RLIMIT_CORE, 0) },
	"limit of stack":          func() { limit(unix.RLIMIT_STACK, 64<<10) },
	"limit of data":           func() { limit(unix.RLIMIT_DATA, 256<<20) },
	"limit of locked memory":  func() { limit(unix.RLIMIT_MEMLOCK, 0) },
	"limit of signals":        func() { limit(unix.RLIMIT_SIGPENDING, 0) },
	"change root":             func() { must(unix.Chroot(".")); must(unix.Chdir("/")) },
	"change root and close":   func() { must(unix.Chroot(".")); must(unix.Chdir("/")); closeFrom(3) },
	"change directory":        func() { must(os.Mkdir("sub", 0o700)); must(os.Chdir("sub")) },
	"remove directory":        func() { must(os.Mkdir("sub", 0o700)); must(os.Chdir("sub")); must(os.Remove("../sub")) },
	"another user":            func() { must(syscall.Setgid(65534)); must(syscall.Setuid(65534)) },
	"another user, closed":    func() { must(syscall.Setuid(65534)); closeFrom(3) },
	"umask":                   func() { unix.Umask(0o777) },
	"private umask":           func() { unix.Umask(0o077) },
	"memory locked":           func() { must(unix.Mlockall(unix.MCL_CURRENT | unix.MCL_FUTURE)) },
	"mapping of its own":      mapping,
	"many mappings":           func() { each(0, 1000, func(int) { mapping() }) },
	"not dumpable":            func() { must(unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)) },
	"no new privileges":       func() { must(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) },
	"another name":            func() { unix.Prctl(unix.PR_SET_NAME, uintptr(unsafe.Pointer(&name)), 0, 0, 0) },
	"session of its own":      func() { syscall.Setsid() },
	"group of its own":        func() { syscall.Setpgid(0, 0) },
	"nice":                    func() { syscall.Setpriority(syscall.PRIO_PROCESS, 0, 5) },
	"one processor":           func() { runtime.GOMAXPROCS(1) },
	"one thread":              func() { runtime.LockOSThread() },
	"signals ignored":         func() { signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGURG) },
	"signals blocked":         func() { runtime.LockOSThread(); block() },
	"signals caught":          func() { signal.Notify(make(chan os.Signal, 100)) },
	"timers":                  func() { time.AfterFunc(time.Millisecond, func() {}); time.Sleep(3 * time.Millisecond) },
	"locks on files": func() {
		for _, fd := range open(3) {
			syscall.Flock(fd, syscall.LOCK_EX)
		}
	},
	"exec":                    func() { become("AGAIN=1") },
	"exec, closed":            func() { closeFrom(3); become("AGAIN=1") },
	"exec without variables":  func() { execute([]string{"AGAIN=1"}) },
	"exec of another program": func() { work(); must(syscall.Exec("/bin/echo", []string{"echo", "else"}, nil)) },
	"daemon":                  func() { child("nothing", os.Environ(), true); os.Exit(0) },
	"daemon of a daemon":      func() { child("daemon", os.Environ(), true); os.Exit(0) },
	"daemon, closed":          func() { child("close 3 to 63", os.Environ(), true); os.Exit(0) },
	"child":                   func() { child("nothing", os.Environ(), false) },
	"child without variables": func() { child("nothing", nil, false) },
	"children":                func() { each(0, 5, func(int) { child("nothing", os.Environ(), false) }) },
	"panic":                   func() { defer os.Exit(9); defer func() { say(fmt.Sprint(recover())) }(); panic("as asked") },
	"exit in a goroutine":     func() { instrument.Go(func() { work(); os.Exit(5) }); select {} },
	"deadlock":                func() { work(); closeFrom(0); select {} },
	"main goroutine ends":     func() { go func() { work(); os.Exit(6) }(); runtime.Goexit() },
	"deadlock, said":          func() { work(); select {} },
	"panic, not caught":       func() { work(); panic("as asked") },
	"panic in a goroutine":    func() { go func() { work(); panic("elsewhere") }(); select {} },
	"panic in a region":       func() { defer instrument.Region("r").End(); var p *int; *p = 1 },
	"exit in defer":           func() { defer os.Exit(8); defer instrument.Region("r").End(); work() },
	"no main goroutine":       func() { work(); runtime.Goexit() },
	"runtime's own error":     func() { work(); unlock() },
	"SIGQUIT":                 func() { work(); kill(syscall.SIGQUIT) },
	"SIGABRT":                 func() { work(); kill(syscall.SIGABRT) },
	"SIGSEGV":                 func() { work(); kill(syscall.SIGSEGV) },
	"SIGPIPE":                 func() { work(); syscall.Kill(os.Getpid(), syscall.SIGPIPE) },
	"SIGHUP ignored":          func() { signal.Ignore(syscall.SIGHUP); syscall.Kill(os.Getpid(), syscall.SIGHUP) },
	"SIGKILL":                 func() { work(); kill(syscall.SIGKILL) },
	"SIGTERM":                 func() { work(); kill(syscall.SIGTERM) },
}

func main() {
	if len(os.Args) < 2 {
		names := []string{}
		for name := range variants {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			say(name)
		}
		return
	}
	defer instrument.Region("main").End()
	if os.Getenv("AGAIN") == "" {
		variants[os.Args[1]]()
	}
	work()
	report()
}

var sampled = instrument.NewMetric("sampled", "")

// work lets the buffer grow, twice, however fast the recorder empties it: goroutines each keep a block of it until all have one. Most of
// what they record before that takes up what is smaller than a block: samples, as counters are read for regions, which takes long.
func work() {
	const goroutines, regions, samples = 40, 100, 3 // a buffer grows by 16 blocks
	var have, all sync.WaitGroup
	have.Add(goroutines)
	for range goroutines {
		all.Go(func() {
			for range regions {
				r := instrument.Region("work")
				for range samples {
					sampled.Sample(1)
				}
				r.End()
			}
			have.Done()
			have.Wait()
		})
	}
	all.Wait()
}

// report says what the program sees: its descriptors, its files, its limits.
func report() {
	each(0, 64, func(fd int) {
		var st syscall.Stat_t
		if syscall.Fstat(fd, &st) == nil && fd != 1 {
			say(fmt.Sprintf("descriptor %d: %o, %d bytes", fd, st.Mode&syscall.S_IFMT, regularSize(&st)))
		}
	})
	free, err := syscall.Open("/", syscall.O_RDONLY, 0)
	say(fmt.Sprint("next ", free, err))
	syscall.Close(free)
	var l unix.Rlimit
	unix.Getrlimit(unix.RLIMIT_NOFILE, &l)
	say(fmt.Sprint("limits ", l))
	f, err := os.OpenFile(fmt.Sprintf("written by %s", filepath.Base(os.Args[1])), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err == nil {
		f.WriteString("text")
		f.Close()
	}
	say(fmt.Sprint("file ", errors.Is(err, os.ErrPermission), err == nil))
}

func regularSize(st *syscall.Stat_t) int64 {
	if st.Mode&syscall.S_IFMT == syscall.S_IFREG {
		return st.Size
	}
	return 0
}

// say prints without package os, which may not know any more what its descriptors are.
func say(text string) { syscall.Write(1, []byte(text+"\n")) }

func must(err error) {
	if err != nil {
		say(err.Error())
	}
}

func each(from, to int, f func(int)) {
	for i := from; i < to; i++ {
		f(i)
	}
}

func closeFrom(first int) { each(first, 64, func(fd int) { syscall.Close(fd) }) }

func closeRegular() {
	each(3, 64, func(fd int) {
		var st syscall.Stat_t
		if syscall.Fstat(fd, &st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFREG {
			syscall.Close(fd)
		}
	})
	open(4)
}

func closeListed() {
	entries, err := os.ReadDir("/proc/self/fd")
	must(err)
	for _, e := range entries {
		fd := 0
		if fmt.Sscan(e.Name(), &fd); fd > 2 {
			syscall.Close(fd)
		}
	}
}

// kill sends a signal to this process, which any thread may get; until then it is busy.
func kill(sig syscall.Signal) {
	syscall.Kill(os.Getpid(), sig)
	for {
	}
}

// arena is what Go's heap takes of the address space when it grows. It begins anywhere in its first one, so the little that work allocates may need another.
const arena = 64 << 20

// mapped returns how much of the address space is in use.
func mapped() (bytes uint64) {
	text, err := os.ReadFile("/proc/self/statm")
	must(err)
	fmt.Sscan(string(text), &bytes)
	return bytes * uint64(os.Getpagesize())
}

// mapping writes a file by a mapping.
func mapping() {
	fd, err := syscall.Open("mapped", syscall.O_RDWR|syscall.O_CREAT, 0o644)
	must(err)
	must(syscall.Ftruncate(fd, 5000))
	mem, err := syscall.Mmap(fd, 0, 5000, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	must(err)
	syscall.Close(fd)
	copy(mem, "own")
}

// block blocks all signals that can be blocked, in this thread.
func block() {
	all := ^uint64(0)
	syscall.RawSyscall6(syscall.SYS_RT_SIGPROCMASK, 0, uintptr(unsafe.Pointer(&all)), 0, 8, 0, 0)
}

// unlock lets the runtime find an error that nobody can recover from.
func unlock() {
	var mu sync.Mutex
	mu.Unlock()
}

// open opens files of its own.
func open(n int) (fds []int) {
	for i := range n {
		fd, err := syscall.Open(fmt.Sprintf("own%d", i), syscall.O_RDWR|syscall.O_CREAT, 0o644)
		must(err)
		syscall.Write(fd, []byte("hello"))
		fds = append(fds, fd)
	}
	return fds
}

// everywhere makes every number beyond 2 that of a pipe with some text in it.
func everywhere() {
	var ends [2]int
	must(syscall.Pipe(ends[:]))
	must(syscall.SetNonblock(ends[0], true))
	_, err := syscall.Write(ends[1], make([]byte, inPipe))
	must(err)
	each(5, most(), func(fd int) { must(unix.Dup3(ends[0], fd, 0)) })
}

// untouched says which of these numbers are closed, and whether somebody has read.
func untouched() {
	each(3, most(), func(fd int) {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
			say(fmt.Sprint(fd, err))
		}
	})
	n, err := syscall.Read(3, make([]byte, 2*inPipe))
	say(fmt.Sprint("left in the pipe: ", n, err))
}

const inPipe = 10_000

func most() int {
	var l unix.Rlimit
	must(unix.Getrlimit(unix.RLIMIT_NOFILE, &l))
	return int(min(l.Cur, 100_000))
}

func exhaust() {
	var l unix.Rlimit
	unix.Getrlimit(unix.RLIMIT_NOFILE, &l)
	if l.Cur > 200 {
		limit(unix.RLIMIT_NOFILE, 200)
	}
	for {
		if _, err := syscall.Open("/dev/null", syscall.O_RDONLY, 0); err != nil {
			return
		}
	}
}

func limit(resource int, n uint64) {
	signal.Ignore(syscall.SIGXFSZ)
	must(unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n}))
}

var name = [16]byte{'o', 't', 'h', 'e', 'r'}

func become(variable string) { execute(append(os.Environ(), variable)) }

func execute(env []string) {
	work()
	must(syscall.Exec("/proc/self/exe", os.Args, env))
}

// child runs the program again, with the same output.
func child(variant string, env []string, leave bool) {
	work()
	c := exec.Command("/proc/self/exe", variant)
	c.Env, c.Stdout, c.Stderr = env, os.Stdout, os.Stderr
	if env == nil {
		c.Env = []string{}
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: leave}
	if leave {
		must(c.Start())
	} else {
		must(c.Run())
	}
}
