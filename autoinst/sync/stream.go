package sync

// streamPatches record who writes to what others wait for, where both ends of a connection or pipe are in the process.
var streamPatches = []patch{
	{"runtime/netpoll.go", "type pollDesc struct {", "\tself    *pollDesc // storage for indirect interface. See (*pollDesc).makeArg.\n", behind, "\ttracerec tracerecStreams\n"},
	{"runtime/netpoll.go", "func poll_runtime_pollOpen(fd uintptr) (*pollDesc, int) {", "\tpd.fd = fd\n", behind, "\tpd.tracerec = tracerecStreams{}\n"},
	{"runtime/netpoll.go", "func poll_runtime_pollSetDeadline(pd *pollDesc, d int64, mode int) {", unblocked, instead, interrupts},
	{"runtime/netpoll.go", "func poll_runtime_pollUnblock(pd *pollDesc) {", unblocked, instead, interrupts},

	{"internal/poll/fd_unix.go", "func (fd *FD) Read(p []byte) (int, error) {", "\t\tn, err := ignoringEINTRIO(syscall.Read, fd.Sysfd, p)\n", behind,
		"\t\tif tracerecRecording != 0 && n > 0 {\n\t\t\ttracerecRead(fd.pd.runtimeCtx, n)\n\t\t}\n"},
	{"internal/poll/fd_unix.go", "func (fd *FD) Accept() (int, syscall.Sockaddr, string, error) {", accepts, behind, // others may close fd when it has returned
		"\t\t\tif tracerecRecording != 0 {\n\t\t\t\ttracerecRead(fd.pd.runtimeCtx, 1)\n\t\t\t}\n"},
	{"internal/poll/fd_unix.go", "func (fd *FD) Write(p []byte) (int, error) {", writes, instead, writing("fd") + writes + wrote("fd", "n")},
	{"internal/poll/writev.go", "func (fd *FD) Writev(v *[][]byte) (int64, error) {", "\t\tvar wrote uintptr\n", before, writing("fd")},
	{"internal/poll/writev.go", "func (fd *FD) Writev(v *[][]byte) (int64, error) {", "\t\tTestHookDidWritev(int(wrote))\n", before, wrote("fd", "int(wrote)")},
	{"internal/poll/sendfile_unix.go", "func sendFile(dstFD *FD, src int, offset *int64, size int64) (written int64, err error, handled bool) {", sends, instead,
		writing("dstFD") + sends + wrote("dstFD", "n")},
	{"internal/poll/fd_unix.go", "func (fd *FD) Close() error {", "\tfd.pd.evict()\n", before, ends("true", "tracerecCloses")},
	{"internal/poll/fd_posix.go", "func (fd *FD) Shutdown(how int) error {", "\treturn syscall.Shutdown(fd.Sysfd, how)\n", before, ends("how != syscall.SHUT_RD", "tracerecCloses")},
	{"internal/poll/fd_unix.go", "func (fd *FD) Dup() (int, string, error) {", "\treturn DupCloseOnExec(fd.Sysfd)\n", before, ends("true", "tracerecLeaves")},
	{"internal/poll/fd_unix.go", "func (fd *FD) SetBlocking() error {", "\treturn syscall.SetNonblock(fd.Sysfd, false)\n", before, ends("true", "tracerecLeaves")},

	{"internal/poll/fd_mutex.go", "type fdMutex struct {", "\twsema uint32\n", behind, "\ttracerec [2]uint32 // the recorder's numbers of both locks\n"},
	{"internal/poll/fd_mutex.go", rwlock, "\tfor {\n", before,
		"\tvar tracerecT uint64\n\ttracerecMay := tracerecRecording != 0\n\tif tracerecMay {\n\t\ttracerecT = mu.tracerecLocks(read, false)\n\t}\n"},
	{"internal/poll/fd_mutex.go", rwlock, "\t\tif old&mutexClosed != 0 {\n", behind, "\t\t\ttracerecPart(tracerecLeave|tracerecFailed, 0, tracerecT)\n"},
	{"internal/poll/fd_mutex.go", rwlock, "\t\t\tif old&mutexBit == 0 {\n", behind, "\t\t\t\tif tracerecT != 0 {\n\t\t\t\t\ttracerecPart(tracerecLeave, 0, tracerecT)\n\t\t\t\t}\n"},
	{"internal/poll/fd_mutex.go", rwlock, "\t\t\truntime_Semacquire(mutexSema)\n", before, // perhaps once more, if another one is faster
		"\t\t\tif tracerecMay {\n\t\t\t\tif tracerecMay = false; tracerecT == 0 {\n\t\t\t\t\ttracerecT = mu.tracerecLocks(read, true)\n\t\t\t\t}\n" +
			"\t\t\t\ttracerecPart(tracerecBlocked, 0, tracerecT)\n\t\t\t}\n"},
	{"internal/poll/fd_mutex.go", "func (mu *fdMutex) rwunlock(read bool) bool {", "\tfor {\n", before, told("mu.tracerecUnlocks(read)")},

	{"net/sock_posix.go", listenStream, "\tfd.setAddr(fd.addrFunc()(lsa), nil)\n", behind, told("fd.tracerecListens()")},
	{"net/sock_posix.go", dial, "\tvar crsa syscall.Sockaddr // remote address we actually connected to\n", behind, "\tvar tracerecIs bool\n"},
	{"net/sock_posix.go", dial, "\t\tif crsa, err = fd.connect(ctx, lsa, rsa); err != nil {\n", before, "\t" + told("tracerecIs = fd.tracerecDials(raddr)")},
	{"net/sock_posix.go", dial, "\t\tfd.setAddr(fd.addrFunc()(lsa), raddr)\n\t}\n", behind, "\tif tracerecIs {\n\t\tfd.tracerecDialed()\n\t}\n"},
	{"net/fd_unix.go", "func (fd *netFD) accept() (netfd *netFD, err error) {", "\tnetfd.setAddr(netfd.addrFunc()(lsa), netfd.addrFunc()(rsa))\n", behind, told("netfd.tracerecAccepted(fd)")},
	{"os/pipe2_unix.go", "func Pipe() (r *File, w *File, err error) {", pipe, instead,
		"\tr, w = newFile(p[0], \"|0\", kindPipe, false), newFile(p[1], \"|1\", kindPipe, false)\n" + told("r.pfd.TracerecPipe(&w.pfd)") + "\treturn r, w, nil\n"},
}

const (
	unblocked  = "\tunlock(&pd.lock)\n\tif rg != nil {\n"
	interrupts = "\tunlock(&pd.lock)\n\tif tracerecRecording != 0 && (rg != nil || wg != nil) {\n\t\ttracerecInterrupts(rg, wg)\n\t}\n\tif rg != nil {\n"

	accepts = "\t\ts, rsa, errcall, err := accept(fd.Sysfd)\n\t\tif err == nil {\n"
	writes  = "\t\tn, err := ignoringEINTRIO(syscall.Write, fd.Sysfd, p[nn:max])\n"
	sends   = "\t\tn, err = sendFileChunk(dst, src, offset, chunk, written)\n"
	pipe    = "\treturn newFile(p[0], \"|0\", kindPipe, false), newFile(p[1], \"|1\", kindPipe, false), nil\n"

	rwlock       = "func (mu *fdMutex) rwlock(read bool) bool {"
	listenStream = "func (fd *netFD) listenStream(ctx context.Context, laddr sockaddr, backlog int, ctrlCtxFn func(context.Context, string, string, syscall.RawConn) error) error {"
	dial         = "func (fd *netFD) dial(ctx context.Context, laddr, raddr sockaddr, ctrlCtxFn func(context.Context, string, string, syscall.RawConn) error) error {"
)

// writing takes the time before fd is written to.
func writing(fd string) string {
	return "\t\tvar tracerecT uint64\n\t\tif tracerecRecording != 0 {\n\t\t\ttracerecT = tracerecWrites(" + fd + ".pd.runtimeCtx)\n\t\t}\n"
}

// wrote tells that n bytes were written.
func wrote(fd, n string) string {
	return "\t\tif tracerecT != 0 && " + n + " > 0 {\n\t\t\ttracerecWrote(" + fd + ".pd.runtimeCtx, " + n + ", tracerecT)\n\t\t}\n"
}

// ends tells something of fd, on a condition.
func ends(condition, call string) string {
	return "\tif tracerecRecording != 0 && " + condition + " {\n\t\t" + call + "(fd.pd.runtimeCtx)\n\t}\n"
}

// told does something while recording.
func told(call string) string { return "\tif tracerecRecording != 0 {\n\t\t" + call + "\n\t}\n" }
