package perf
import ("testing";"golang.org/x/sys/unix";"unsafe";"tracerec/counters/substrate";"time";"tracerec/internal/goid")
func TestParts(b *testing.T) {
	lockThread(b)
	g:=open(b, substrate.Options{}, "task-clock").(*group)
	var w [16]uint64
	v:=make([]uint64,1)
	fd:=g.bundles[0].fds[0]
	names:=[]string{}; fs:=[]func(){}
	best:=map[string]time.Duration{}
	m:=func(name string, f func()) { names=append(names,name); fs=append(fs,f); best[name]=time.Hour}
	m("raw", func() {  unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&w)), 128)})
	m("raw16", func() {  unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&w)), 16)})
	m("group", func() { g.sys.readGroup(fd, g.words[:2])})
	m("all", func() { g.readAll(v,nil,nil)})
	m("here", func() { g.readHere(v)})
	m("Read", func(){ g.Read(v)})
	m("on", func(){ g.here.on(goid.G(), g.here.witness.Sequence(goid.G()))})
	m("thread", func(){ g.here.witness.Thread()})
	m("seq", func(){ g.here.witness.Sequence(goid.G())})
	m("nop", func(){ })
	for range 1000 {
	for i,f:=range fs {  t:=time.Now(); for range 100 {f()}; best[names[i]]=min(best[names[i]],time.Since(t))}
	}
	for _,n:=range names { b.Log(n, float64(best[n])/100)}
}
