// Package sync patches the runtime and package sync so that a program records the operations by which its goroutines wait for each
// other: all of them, in the program, in its dependencies and in the standard library.
package sync

import (
	"embed"
	"slices"

	"tracerec/autoinst/overlay"
)

//go:embed runtime.txt
var runtimeHooks string

// counters read the counter that package clock reads.
//
//go:embed counter_amd64.txt counter_arm64.txt counter_riscv64.txt
var counters embed.FS

//go:embed state.txt
var stateHooks string

//go:embed stream.txt
var streamHooks string

//go:embed poll.txt
var pollHooks string

//go:embed net.txt
var netHooks string

//go:embed os.txt
var osHooks string

//go:embed signal.txt
var signalHooks string

//go:embed internal_sync.txt
var internalSyncHooks string

//go:embed bubble.txt
var bubbleHooks string

//go:embed coroutine.txt
var coroutineHooks string

//go:embed iter.txt
var iterHooks string

//go:embed sync.txt
var syncHooks string

const before, behind, instead = overlay.Before, overlay.Behind, overlay.Instead

const (
	chansend = "func chansend(c *hchan, ep unsafe.Pointer, block bool, callerpc uintptr) bool {"
	chanrecv = "func chanrecv(c *hchan, ep unsafe.Pointer, block bool) (selected, received bool) {"
	selectgo = "func selectgo(cas0 *scase, order0 *uint16, pc0 *uintptr, nsends, nrecvs int, block bool) (int, bool) {"
)

// What an operation does that found its partner, a place in the buffer, or a value there.
const (
	sentNow     = "\n\t\tif tracerecT|tracerecT0 != 0 {\n\t\t\ttracerecWent(tracerecSent, tracerecOK, c, tracerecT, tracerecT0)\n\t\t}"
	receivedNow = "\n\t\tif tracerecT|tracerecT0 != 0 {\n\t\t\ttracerecWent(tracerecReceived, tracerecOK, c, tracerecT, tracerecT0)\n\t\t}"
)

// begin is put at the begin of an operation on a channel, or of a select.
func begin(op, object string) string {
	return "\tvar tracerecT, tracerecT0 uint64\n\tif tracerecRecording != 0 {\n" +
		"\t\ttracerecT, tracerecT0 = tracerecComes(" + op + ", " + object + ", block)\n\t}\n"
}

// counted counts a value that goes through a channel.
func counted(call string) string { return "\tif tracerecRecording != 0 {\n\t\t" + call + "\n\t}\n" }

// patch is one, in its own order of fields.
type patch struct {
	file, within, anchor string
	where                overlay.Where
	text                 string
}

var patches = []patch{
	{"runtime/proc.go", "func malg(stacksize int32) *g {", "\tnewg := new(g)\n", instead, "\tnewg := &new(tracerecGoroutine).g\n"},
	{"runtime/chan.go", "type hchan struct {", "\tdataqsiz uint           // size of the circular queue\n", behind, "\ttracerec tracerecChannel\n"},

	{"runtime/chan.go", "func send(c *hchan, sg *sudog, ep unsafe.Pointer, unlockf func(), skip int) {", "\tgp := sg.g\n\tunlockf()\n", before,
		counted("tracerecHandOver(c, sg.g)")},
	{"runtime/chan.go", "func recv(c *hchan, sg *sudog, ep unsafe.Pointer, unlockf func(), skip int) {", "\tgp := sg.g\n\tunlockf()\n", before,
		counted("tracerecHandOver(c, sg.g)")},
	{"runtime/chan.go", chansend, "\t\tc.qcount++\n", before, counted("tracerecPut(c)")},
	{"runtime/chan.go", chanrecv, "\t\tc.qcount--\n", before, counted("tracerecTake(c)")},
	{"runtime/chan.go", "func timerchandrain(c *hchan) bool {", "\t\tc.qcount--\n", before, counted("tracerecDrop(c)")},
	{"runtime/select.go", selectgo, "\tc.qcount++\n", before, counted("tracerecPut(c)")},
	{"runtime/select.go", selectgo, "\tc.qcount--\n", before, counted("tracerecTake(c)")},

	{"runtime/chan.go", chansend, "\t\tgopark(nil, nil, waitReasonChanSendNilChan", before, "\t\ttracerecForever(tracerecSend)\n"},
	{"runtime/chan.go", chansend, "\tif debugChan {\n", before, begin("tracerecSend", "tracerecObject(c)")},
	{"runtime/chan.go", chansend, "\t\tunlock(&c.lock)\n\t\tpanic(", instead,
		"\t\tunlock(&c.lock)\n\t\ttracerecPanics(tracerecSend, tracerecObject(c), tracerecT, tracerecT0)\n\t\tpanic("},
	{"runtime/chan.go", chansend, "\t\tsend(c, sg, ep, func() { unlock(&c.lock) }, 3)", behind, sentNow},
	{"runtime/chan.go", chansend, "\t\tc.qcount++\n\t\tunlock(&c.lock)", behind, sentNow},
	{"runtime/chan.go", chansend, "\t// Block on the channel. Some receiver", before, "\tif tracerecT != 0 {\n\t\ttracerecPart(tracerecBlocked, 0, tracerecT)\n\t}\n"},
	{"runtime/chan.go", chansend, "\treleaseSudog(mysg)\n", behind, "\tif tracerecT != 0 {\n\t\ttracerecLeft(closed, tracerecPanicked, tracerecT)\n\t}\n"},

	{"runtime/chan.go", chanrecv, "\t\tgopark(nil, nil, waitReasonChanReceiveNilChan", before, "\t\ttracerecForever(tracerecRecv)\n"},
	{"runtime/chan.go", chanrecv, "\t// Fast path: check for failed", before, begin("tracerecRecv", "tracerecObject(c)")},
	{"runtime/chan.go", chanrecv, "\t\t\t// The channel is irreversibly closed and empty.\n", behind,
		"\t\t\ttracerecWent(tracerecSawClosed, tracerecClosed, c, 0, tracerecT0)\n"},
	{"runtime/chan.go", chanrecv, "\t\t\tunlock(&c.lock)\n\t\t\tif ep != nil {\n\t\t\t\ttypedmemclr(c.elemtype, ep)\n\t\t\t}\n", behind,
		"\t\t\ttracerecWent(tracerecSawClosed, tracerecClosed, c, tracerecT, tracerecT0)\n"},
	{"runtime/chan.go", chanrecv, "\t\t\trecv(c, sg, ep, func() { unlock(&c.lock) }, 3)", behind, receivedNow},
	{"runtime/chan.go", chanrecv, "\t\tc.qcount--\n\t\tunlock(&c.lock)", behind, receivedNow},
	{"runtime/chan.go", chanrecv, "\t// no sender available: block", before, "\tif tracerecT != 0 {\n\t\ttracerecPart(tracerecBlocked, 0, tracerecT)\n\t}\n"},
	{"runtime/chan.go", chanrecv, "\treleaseSudog(mysg)\n", behind, "\tif tracerecT != 0 {\n\t\ttracerecLeft(!success, tracerecClosed, tracerecT)\n\t}\n"},

	{"runtime/chan.go", "func selectnbrecv(elem unsafe.Pointer, c *hchan) (selected, received bool) {", "\treturn chanrecv(c, elem, false)\n", instead,
		"\tselected, received = chanrecv(c, elem, false)\n\tif tracerecRecording != 0 && !selected && c != nil {\n" +
			"\t\ttracerecTries(tracerecTriedRecv, sys.GetCallerPC())\n\t}\n\treturn\n"},

	{"runtime/chan.go", "func closechan(c *hchan) {", "\n\tlock(&c.lock)\n", before,
		"\n\tif tracerecRecording != 0 && c.closed == 0 {\n\t\ttracerecTell(tracerecClose, tracerecObject(c), 0)\n\t}"},

	{"runtime/select.go", "func block() {", "\tgopark(", before, "\ttracerecForever(tracerecSelect | 1<<8)\n"},
	{"runtime/select.go", selectgo, "\tif debugSelect {\n\t\tprint(\"select: cas0=\"", before, begin("tracerecSelect", "0")},
	{"runtime/select.go", selectgo, "\t// pass 2 - enqueue on all chans\n", before, "\tif tracerecT != 0 {\n\t\ttracerecPart(tracerecBlocked|tracerecHasTimer(scases), 0, tracerecT)\n\t}\n"},
	{"runtime/select.go", selectgo, "\treturn casi, recvOK\n", before,
		"\tif casi >= 0 && tracerecT|tracerecT0 != 0 {\n\t\ttracerecSelected(c, casi < nsends, recvOK, tracerecT, tracerecT0)\n\t}\n" +
			"\tif casi < 0 && tracerecT0 != 0 && nsends == 0 && norder > 0 {\n\t\ttracerecTries(tracerecTriedSelect, sys.GetCallerPC())\n\t}\n"},
	{"runtime/select.go", selectgo, "\t// send on closed channel\n\tselunlock(scases, lockorder)\n", behind,
		"\ttracerecPanics(tracerecSelect, 0, tracerecT, tracerecT0)\n"},

	{"runtime/proc.go", "func newproc(fn *funcval) {", "\tsystemstack(func() {\n", before,
		"\tvar tracerecL uint64\n\tif tracerecRecording != 0 {\n\t\ttracerecL = tracerecNew(fn)\n\t}\n"},
	{"runtime/proc.go", "func newproc(fn *funcval) {", "\t\tnewg := newproc1(fn, gp, pc, false, waitReasonZero)\n", behind, "\t\tif tracerecL != 0 {\n\t\t\ttracerecBorn(gp, newg, tracerecL)\n\t\t} else if tracerecRecording != 0 && gp == gp.m.g0 {\n\t\t\ttracerecTimed(newg)\n\t\t}\n"},
	// Who panics before anything else of it is recorded was awake, too.
	{"runtime/panic.go", "func gopanic(e any) {", "\tif e == nil {\n\t\tif debug.panicnil", before, "\tif tracerecRecording != 0 { tracerecMay() }; "}, // in its line, as tracebacks name it
	{"runtime/coro.go", "func newcoro(f func(*coro)) *coro {", "\tsystemstack(func() {\n", before,
		"\ttracerecBy, tracerecL := gp, uint64(0)\n\tif tracerecRecording != 0 {\n\t\tstart := corostart\n" +
			"\t\ttracerecL = tracerecNew(*(**funcval)(unsafe.Pointer(&start)))\n\t}\n"},
	{"runtime/coro.go", "type coro struct {", "\tf  func(*coro)\n", behind, "\n\ttracerec tracerecCoro\n"},
	{"runtime/coro.go", "func newcoro(f func(*coro)) *coro {", "\tgp.coroarg = c\n", before, "\tc.tracerecMade(tracerecBy, gp, tracerecL)\n"},
	// These are seen in tracebacks: in their lines.
	{"runtime/coro.go", "func corostart() {", "\tgp.coroarg = nil\n", instead, "\tgp.coroarg = nil; if tracerecRecording != 0 { c.tracerecBegins() }\n"},
	{"runtime/coro.go", "func coroexit(c *coro) {", "\tgp := getg()\n", instead, "\tif tracerecRecording != 0 { c.tracerecEnds() }; gp := getg()\n"},
	{"runtime/coro.go", "func coroswitch(c *coro) {", "\tgp := getg()\n", instead, "\ttracerecT := uint64(0); if tracerecRecording != 0 { tracerecT = c.tracerecSwitches() }; gp := getg()\n"},
	{"runtime/coro.go", "func coroswitch(c *coro) {", "\tmcall(coroswitch_m)\n", instead, "\tmcall(coroswitch_m); if tracerecT != 0 { c.tracerecResumes(tracerecT) }\n"},
	// It changes the status of both by itself.
	{"runtime/coro.go", coroswitchM, "\t\tgp.waitreason = waitReasonCoroutine\n", behind, "\t\tif tracerecRecording != 0 {\n\t\t\ttracerecMoved(gp, _Grunning, _Gwaiting)\n\t\t}\n"},
	{"runtime/coro.go", coroswitchM, "\tsetGNoWB(&mp.curg, gnext)\n", before, "\tif tracerecRecording != 0 {\n\t\ttracerecMoved(gnext, _Gwaiting, _Grunnable)\n\t}\n"},
	{"runtime/coro.go", coroswitchM, "\t// Donate locked state.\n", before, "\tif tracerecRecording != 0 {\n\t\ttracerecMoved(gnext, _Grunnable, _Grunning)\n\t}\n"},
	{"os/signal/signal.go", "func Notify(c chan<- os.Signal, sig ...os.Signal) {", "\thandlers.Lock()\n", instead, "\ttracerecSignals(c); handlers.Lock()\n"},

	{"iter/iter.go", "func Pull[V any](seq Seq[V]) (next func() (V, bool), stop func()) {", "\tc := newcoro(func(c *coro) {\n", before, starts("seq")},
	{"iter/iter.go", "func Pull2[K, V any](seq Seq2[K, V]) (next func() (K, V, bool), stop func()) {", "\tc := newcoro(func(c *coro) {\n", before, starts("seq")},
	{"sync/waitgroup.go", "func (wg *WaitGroup) Go(f func()) {", "\tgo func() {\n", before, starts("f")},
	{"runtime/proc.go", newproc1, "\tnewg.startpc = fn.fn\n", behind, "\tif tracerecHook != nil {\n\t\ts := tracerecOf(newg)\n\t\t*s = tracerecState{slot: s.slot}\n\t}\n"},
	{"runtime/proc.go", "func casgstatus(gp *g, oldval, newval uint32) {", "\tif gp.bubble != nil {\n", before,
		"\tif tracerecRecording != 0 {\n\t\ttracerecMoved(gp, oldval, newval)\n\t}\n"},
	{"runtime/proc.go", "func preemptPark(gp *g) {", "\tcasGToPreemptScan(gp, _Grunning, _Gscan|_Gpreempted)\n", behind,
		"\tif tracerecRecording != 0 {\n\t\ttracerecMoved(gp, _Grunning, _Gpreempted)\n\t}\n"},
	{"runtime/proc.go", "func goschedImpl(gp *g, preempted bool) {", "\tcasgstatus(gp, _Grunning, _Grunnable)\n", behind,
		"\tif tracerecRecording != 0 && !preempted && tracerecOf(gp).busy == 0 {\n\t\ttracerecOf(gp).doing = tracerecYielded\n\t}\n"},
	{"runtime/proc.go", "func reentersyscall(pc, sp, bp uintptr) {", "\tgp.m.locks++\n", behind,
		"\tif tracerecRecording != 0 {\n\t\ttracerecCalls(tracerecOf(gp))\n\t}\n"},
	{"runtime/proc.go", "func exitsyscall() {", "\tgp.waitsince = 0\n", behind,
		"\tif tracerecRecording != 0 {\n\t\ttracerecCalled(tracerecOf(gp))\n\t}\n"},
	{"runtime/proc.go", "func stopTheWorldWithSema(reason stwReason) worldStop {", "\tsched.gcwaiting.Store(true)\n", before,
		"\tif tracerecRecording != 0 {\n\t\ttracerecStop()\n\t}\n"},
	{"runtime/proc.go", "func startTheWorldWithSema(now int64, w worldStop) int64 {", "\tworldStarted()\n", before, "\ttracerecStart()\n"},
	{"runtime/proc.go", "func runExitHooks(code int) {", "\texithook.Run(code)\n", behind, "\tif tracerecRecording != 0 {\n\t\ttracerecExits()\n\t}\n"},
	// The race detector has a program that exits sleep for a second, in which it may find more.
	{"runtime/proc.go", "func os_beforeExit(exitCode int) {", "\t\tracefini()", before, lastSleep},
	{"runtime/proc.go", "func main() {", "\t\tracefini()", before, lastSleep},
	{"runtime/sema.go", "func semacquire1(addr *uint32, lifo bool, profile semaProfileFlags, skipframes int, reason waitReason) {", "\t\troot.queue(addr, s, lifo)\n", behind, "\t\tif tracerecRecording != 0 {\n\t\t\ttracerecQueues(addr)\n\t\t}\n"},
	{"runtime/netpoll.go", "func poll_runtime_pollWait(pd *pollDesc, mode int) int {", "\tfor !netpollblock(", before,
		"\tif tracerecRecording != 0 && !tracerecPollable(pd, mode) {\n\t\tif t := tracerecTell(tracerecNetwork, 0, 0); t != 0 {\n\t\t\ttracerecOf(getg()).interrupted = 0\n" +
			"\t\t\ttracerecPart(tracerecBlocked, 0, t)\n\t\t\tdefer tracerecCame(pd, mode, t)\n\t\t}\n\t}\n"},
	{"runtime/proc.go", "func goexit1() {", "\tif raceenabled {\n\t\tif gp", before, "\tif tracerecRecording != 0 {\n\t\ttracerecEnds()\n\t}\n"},
	// Tracebacks of bubbles show these functions: all in their lines.
	{"runtime/synctest.go", "type synctestBubble struct {", "\tmu      mutex\n", before, "\ttracerec uint32; "}, // the recorder's number of it
	{"runtime/synctest.go", synctestRun, "\tsystemstack(func() {\n\t\tfv :=", before,
		"\tvar tracerecL, tracerecT uint64; if tracerecRecording != 0 { tracerecL = tracerecNew(*(**funcval)(unsafe.Pointer(&f))) }; "},
	{"runtime/synctest.go", synctestRun, "\t\tbubble.main = newproc1(fv, gp, pc, false, waitReasonZero)\n", instead,
		"\t\tbubble.main = newproc1(fv, gp, pc, false, waitReasonZero); if tracerecL != 0 { tracerecBorn(gp, bubble.main, tracerecL) }\n"},
	{"runtime/synctest.go", synctestRun, "\tlock(&bubble.mu)\n\tbubble.active++\n", before, "\tif tracerecRecording != 0 { tracerecT = bubble.tracerecAwaits(tracerecWait) }; "},
	{"runtime/synctest.go", synctestRun, "\ttotal := bubble.total\n\tunlock(&bubble.mu)\n", instead,
		"\ttotal := bubble.total\n\tunlock(&bubble.mu); bubble.tracerecEnds(total, tracerecT)\n"},
	{"runtime/synctest.go", "func synctestWait() {", "\tgopark(synctestwait_c, nil, waitReasonSynctestWait, traceBlockSynctest, 0)\n", instead,
		"\ttracerecT := uint64(0); if tracerecRecording != 0 { tracerecT = gp.bubble.tracerecAwaits(tracerecQuiesces) }; " +
			"gopark(synctestwait_c, nil, waitReasonSynctestWait, traceBlockSynctest, 0); tracerecPart(tracerecMeet, 0, tracerecT)\n"},
	{"runtime/mheap.go", "type heapArena struct {", "\tzeroedBase uintptr\n", behind, "\ttracerec tracerecPages\n"},
	// Also while nothing is recorded: what was counted before may be freed, and what is there next may be used in the next recording.
	{"runtime/mgcsweep.go", "func (sl *sweepLocked) sweep(preserve bool) bool {", "\tif traceAllocFreeEnabled() || debug.clobberfree != 0 ||", before, "\tif tracerecHook != nil { tracerecSweeps(s) }; "},
	{"runtime/time.go", "type timer struct {", "\tisSending atomic.Int32\n", behind, "\n\ttracerec tracerecTimer\n"},
	{"runtime/runtime2.go", "type p struct {", "\tid          int32\n", behind, "\ttracerec    tracerecTimer // that runs on it\n\ttracerecGrown int32 // see tracerecLearnStack\n"},
	{"runtime/time.go", "func newTimer(when, period int64, f func(arg any, seq uintptr, delay int64), arg any, c *hchan) *timeTimer {", "\tt.modify(when, period, f, arg, 0)\n", before,
		"\tif tracerecFeeds(arg); tracerecRecording != 0 && c == nil {\n\t\tt.tracerecSet()\n\t}\n"},
	{"runtime/time.go", "func resetTimer(t *timeTimer, when, period int64) bool {", "\treturn t.reset(when, period)\n", before,
		"\tif tracerecRecording != 0 && !t.isChan {\n\t\tt.tracerecSet()\n\t}\n"},
	{"runtime/time.go", unlockAndRun, "\tseq := t.seq\n", behind, "\ttracerecT := t.tracerec\n\ttracerecT.runs = true\n"},
	{"runtime/time.go", unlockAndRun, "\tf(arg, seq, delay)\n", instead,
		"\tgetg().m.p.ptr().tracerec = tracerecT\n\tf(arg, seq, delay)\n\tgetg().m.p.ptr().tracerec = tracerecTimer{}\n"},
	{"runtime/time.go", "func timeSleep(ns int64) {", "\tgp := getg()\n", behind,
		"\tif tracerecRecording != 0 {\n\t\tif t := tracerecTell(tracerecSleep, 0, 0); t != 0 {\n\t\t\ttracerecPart(tracerecBlocked, 0, t)\n\t\t\tdefer tracerecPart(tracerecLeave, 0, t)\n\t\t}\n\t}\n"},
	// While a collection starts, nothing may be allocated.
	{"runtime/mgc.go", "func gcBgMarkStartWorkers() {", "\t\t<-ready\n", instead, "\t\ttracerecQuiet(1)\n\t\t<-ready\n\t\ttracerecQuiet(-1)\n"},

	// What the compiler inlines without us it inlines with this, which leaves little to spend: one call, and a flag that is less to it than a comparison.
	{"internal/sync/mutex.go", "func (m *Mutex) Lock() {", "\n\tif ", behind, "tracerecOff && "},
	{"internal/sync/mutex.go", "func (m *Mutex) TryLock() bool {", "func (m *Mutex) TryLock() bool {\n", instead, tried("m.tryLockRecorded()", "(m *Mutex)", "TryLock", "m")},
	// Who waits is in these functions, in tracebacks, and in none of ours.
	{"internal/sync/mutex.go", "func (m *Mutex) lockSlow() {", "\tvar waitStartTime int64\n", before, locks("m")},
	{"internal/sync/mutex.go", "func (m *Mutex) lockSlow() {", "\tif race.Enabled {\n\t\trace.Acquire(unsafe.Pointer(m))\n\t}\n", instead,
		"\tif race.Enabled {\n\t\trace.Acquire(unsafe.Pointer(m))\n\t}; if tracerecT != 0 { tracerecLocked(tracerecT) }\n"},
	{"internal/sync/mutex.go", "func (m *Mutex) Unlock() {", "\tnew := atomic.AddInt32(&m.state, -mutexLocked)\n", instead,
		whenOff("new", "&m.state", "-mutexLocked")},
	{"internal/sync/mutex.go", "func (m *Mutex) unlockSlow(new int32) {", "\tif (new+mutexLocked)", before,
		"\tif new == tracerecUnknown {\n\t\tif m != nil {\n\t\t\ttracerecTell(tracerecUnlock, uintptr(unsafe.Pointer(m)), 0)\n\t\t}\n" +
			"\t\tif new = atomic.AddInt32(&m.state, -mutexLocked); new == 0 {\n\t\t\treturn\n\t\t}\n\t}\n"},

	{"sync/rwmutex.go", "func (rw *RWMutex) RLock() {", "\tif rw.readerCount.Add(1) < 0 {\n", instead, whenOff("r", readerCount, "1") + "\tif r < 0 {\n"},
	{"sync/rwmutex.go", "func (rw *RWMutex) RLock() {", "&rw.readerSem, false, 0)", instead, "rw, r)"},
	{"sync/runtime.go", "func runtime_SemacquireRWMutexR(s *uint32, lifo bool, skipframes int)", "R(s *uint32, lifo bool, skipframes int)", instead, "R(rw *RWMutex, readers int32)"},
	{"runtime/sema.go", "func sync_runtime_SemacquireRWMutexR(addr *uint32, lifo bool, skipframes int) {",
		"R(addr *uint32, lifo bool, skipframes int) {\n\tsemacquire1(addr, lifo, semaBlockProfile|semaMutexProfile, skipframes, waitReasonSyncRWMutexRLock)", instead,
		"R(rw unsafe.Pointer, readers int32) {\n\ttracerecT := uint64(0); if readers == tracerecUnknown { if tracerecT = tracerecReads(rw); tracerecT == tracerecDone { return } }; " +
			"semacquire1((*uint32)(add(rw, tracerecReaderSem)), false, semaBlockProfile|semaMutexProfile, 0, waitReasonSyncRWMutexRLock); if tracerecT != 0 { tracerecReading(tracerecT) }"},
	{"sync/rwmutex.go", "func (rw *RWMutex) Lock() {", raceRead, before, locks("rw")},
	{"sync/rwmutex.go", "func (rw *RWMutex) Lock() {", "\t\trace.Acquire(unsafe.Pointer(&rw.writerSem))\n\t}\n", instead,
		"\t\trace.Acquire(unsafe.Pointer(&rw.writerSem))\n\t}; if tracerecT != 0 { tracerecEnds(0, tracerecT) }\n"},
	{"sync/rwmutex.go", "func (rw *RWMutex) TryRLock() bool {", "func (rw *RWMutex) TryRLock() bool {\n", instead, tried("rw.tryRecorded(tracerecTryRLock, (*RWMutex).tracerecTryRLock)", "(rw *RWMutex)", "TryRLock", "rw")},
	{"sync/rwmutex.go", "func (rw *RWMutex) TryLock() bool {", "func (rw *RWMutex) TryLock() bool {\n", instead, tried("rw.tryRecorded(tracerecTryWLock, (*RWMutex).tracerecTryLock)", "(rw *RWMutex)", "TryLock", "rw")},
	{"sync/rwmutex.go", "func (rw *RWMutex) RUnlock() {", "\tif r := rw.readerCount.Add(-1); r < 0 {\n", instead, whenOff("r", readerCount, "-1") + "\tif r < 0 {\n"},
	{"sync/rwmutex.go", "func (rw *RWMutex) rUnlockSlow(r int32) {", "\tif r+1 == 0", before,
		"\tif r == tracerecUnknown {\n\t\tif rw != nil {\n\t\t\ttracerecTell(tracerecRUnlock, uintptr(unsafe.Pointer(rw)), 0)\n\t\t}\n" +
			"\t\tif r = rw.readerCount.Add(-1); r >= 0 {\n\t\t\treturn\n\t\t}\n\t}\n"},
	{"sync/rwmutex.go", "func (rw *RWMutex) Unlock() {", raceRead, before, done("rw.unlockRecorded()")},

	{"sync/waitgroup.go", "func (wg *WaitGroup) Add(delta int) {", "\tif race.Enabled {\n\t\tif delta < 0 {", before,
		"\tif tracerecRecording != 0 && delta != 0 && wg != nil {\n\t\ttracerecTell(tracerecAdd, tracerecWord(wg), uint64(delta))\n\t}\n"},
	{"sync/waitgroup.go", "func (wg *WaitGroup) Wait() {", "\tif race.Enabled {\n\t\trace.Disable()\n\t}\n\tfor {", before,
		"\ttracerecT := uint64(0); if tracerecRecording != 0 { tracerecT = wg.tracerecWaits() }; "},
	{"sync/waitgroup.go", "func (wg *WaitGroup) Wait() {", "\t\t\treturn\n\t\t}\n\t\t// Increment", before, "\t\t\tif tracerecT != 0 { tracerecWaited(0, tracerecT) }; "},
	{"sync/waitgroup.go", "func (wg *WaitGroup) Wait() {", "\t\t\treturn\n\t\t}\n\t}\n", before, "\t\t\tif tracerecT != 0 { tracerecWaited(0, tracerecT) }; "},
	{"sync/waitgroup.go", "func (wg *WaitGroup) Wait() {", "\t\t\t\tpanic(\"sync: WaitGroup is reused", before, "\t\t\t\tif tracerecT != 0 { tracerecWaited(tracerecPanicked, tracerecT) }; "},

	{"sync/cond.go", "func (c *Cond) Wait() {", "\tt := runtime_notifyListAdd(&c.notify)\n", before, `	tracerecOutcome := uint64(tracerecPanicked)
	if tracerecRecording != 0 {
		tracerecT := tracerecTell(tracerecCondWait, uintptr(unsafe.Pointer(c)), 0)
		tracerecPart(tracerecBlocked, 0, tracerecT)
		defer func() { tracerecPart(tracerecLeave|tracerecOutcome, 0, tracerecT) }() // its lock may panic
	}
`},
	{"sync/cond.go", "func (c *Cond) Wait() {", "\tc.L.Lock()\n", behind, "\ttracerecOutcome = 0\n"},
	{"sync/cond.go", "func (c *Cond) Signal() {", "\tc.checker.check()\n", behind, signalled("tracerecSignal")},
	{"sync/cond.go", "func (c *Cond) Broadcast() {", "\tc.checker.check()\n", behind, signalled("tracerecBroadcast")},

	{"sync/once.go", "func (o *Once) doSlow(f func()) {", "\to.m.Lock()\n", before, done("o.doRecorded(f)")},
}

const (
	unlockAndRun = "func (t *timer) unlockAndRun(now int64, bubble *synctestBubble) {"
	newproc1     = "func newproc1(fn *funcval, callergp *g, callerpc uintptr, parked bool, waitreason waitReason) *g {"
	coroswitchM  = "func coroswitch_m(gp *g) {"
	synctestRun  = "func synctestRun(f func()) {"
	lastSleep    = "\t\tif tracerecRecording != 0 {\n\t\t\ttracerecPart(tracerecBlocked, 0, tracerecTell(tracerecSleep|1<<8, 0, 0))\n\t\t}\n"
	readerCount  = "(*int32)(unsafe.Pointer(&rw.readerCount))" // its method Add is more to the inliner
	raceRead     = "\tif race.Enabled {\n\t\trace.Read("
)

// whenOff adds to a number unless something records. Then what comes behind the fast path has to, and is told so by tracerecUnknown.
func whenOff(result, number, delta string) string {
	return "\t" + result + " := int32(tracerecUnknown)\n\tif tracerecOff {\n\t\t" + result + " = atomic.AddInt32(" + number + ", " + delta + ")\n\t}\n"
}

// done is the begin of a method that may be done by another one.
func done(by string) string {
	return "\tif tracerecRecording != 0 && " + by + " {\n\t\treturn\n\t}\n"
}

// locks begins to lock in its line, as tracebacks name it. It is done if that was done at once.
func locks(object string) string {
	return "\ttracerecT := uint64(0); if tracerecRecording != 0 { if tracerecT = " + object + ".tracerecLocks(); tracerecT == tracerecDone { return } }; "
}

// tried makes a method that tries to lock from two: it is done by another one, or does what it did, which has a name of its own.
func tried(by, receiver, name, object string) string {
	return "func " + receiver + " " + name + "() bool {\n\tif tracerecRecording != 0 {\n\t\tif locked, done := " + by +
		"; done {\n\t\t\treturn locked\n\t\t}\n\t}\n\treturn " + object + ".tracerec" + name + "()\n}\n\nfunc " + receiver + " tracerec" + name + "() bool {\n"
}

// starts says that the goroutine which is started next is known by a function. A copy of it has an address: the closure that has the function would
// have it by reference else, and each would be allocated.
func starts(f string) string {
	return "\tif tracerecRecording != 0 {\n\t\ttracerecF := " + f + "\n\t\ttracerecStarts(**(**uintptr)(unsafe.Pointer(&tracerecF)))\n\t}\n"
}

func signalled(op string) string {
	return "\tif tracerecRecording != 0 {\n\t\ttracerecTell(" + op + ", uintptr(unsafe.Pointer(c)), 0)\n\t}\n"
}

// Patch adds the hooks to an overlay.
func Patch(o *overlay.Overlay) error {
	for _, p := range slices.Concat(patches, streamPatches) {
		if err := o.Patch(overlay.Patch{File: p.file, Within: p.within, Anchor: p.anchor, Where: p.where, Text: p.text}); err != nil {
			return err
		}
	}
	o.Add("runtime/tracerec_sync.go", runtimeHooks)
	o.Add("runtime/tracerec_state.go", stateHooks)
	o.Add("runtime/tracerec_stream.go", streamHooks)
	o.Add("runtime/tracerec_coroutine.go", coroutineHooks)
	o.Add("runtime/tracerec_bubble.go", bubbleHooks)
	o.Add("internal/poll/tracerec.go", pollHooks)
	o.Add("net/tracerec.go", netHooks)
	o.Add("os/tracerec.go", osHooks)
	o.Add("os/signal/tracerec.go", signalHooks)
	for _, processor := range []string{"amd64", "arm64", "riscv64"} {
		text, err := counters.ReadFile("counter_" + processor + ".txt")
		if err != nil {
			return err
		}
		o.Add("runtime/tracerec_counter_"+processor+".s", string(text))
	}
	o.Add("internal/sync/tracerec.go", internalSyncHooks)
	o.Add("sync/tracerec.go", syncHooks)
	o.Add("iter/tracerec.go", iterHooks)
	return nil
}
