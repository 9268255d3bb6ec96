// Command streams has goroutines that wait for each other over connections and pipes.
package main

import (
	"io"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

const pause = 20 * time.Millisecond

var done sync.WaitGroup

func main() {
	for _, f := range []func(){pipe, connection, vector, file, deadline, closed, child, behind, proxy} {
		f()
		done.Wait()
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// pair returns the ends of a connection.
func pair() (client, server net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	defer l.Close()
	client, err = net.Dial("tcp", l.Addr().String())
	check(err)
	server, err = l.Accept()
	check(err)
	return client, server
}

func pipe() {
	r, w, err := os.Pipe()
	check(err)
	done.Go(func() { readsPipe(r) })
	time.Sleep(pause)
	writesPipe(w)
	time.Sleep(pause)
	closesPipe(w)
}

func readsPipe(r *os.File) {
	var b [8]byte
	r.Read(b[:])
	readsEnd(r)
}

func readsEnd(r io.Reader) {
	var b [8]byte
	r.Read(b[:])
}

func writesPipe(w *os.File) { w.Write([]byte("pipe")) }
func closesPipe(w *os.File) { w.Close() }

func connection() {
	l, err := net.Listen("tcp", "localhost:0")
	check(err)
	done.Go(func() { accepts(l) })
	time.Sleep(pause)
	dials(l.Addr().String())
}

func accepts(l net.Listener) {
	c, err := l.Accept()
	check(err)
	serves(c)
}

func serves(c net.Conn) {
	var b [8]byte
	c.Read(b[:])
	time.Sleep(pause)
	answers(c)
}

func answers(c net.Conn) { c.Write([]byte("answer")) }

func dials(address string) {
	c, err := net.Dial("tcp", address)
	check(err)
	time.Sleep(pause)
	asks(c)
	awaits(c)
}

func asks(c net.Conn) { c.Write([]byte("ask")) }

// wrapped has its methods from the compiler.
type wrapped struct{ net.Conn }

func awaits(c net.Conn) { readsWrapped(&wrapped{c}) }

//go:noinline
func readsWrapped(r io.Reader) {
	var b [8]byte
	r.Read(b[:])
}

func vector() {
	c, s := pair()
	done.Go(func() { readsVector(c) })
	time.Sleep(pause)
	writesVector(s)
}

func readsVector(c net.Conn) {
	var b [8]byte
	c.Read(b[:])
}

func writesVector(c net.Conn) {
	b := net.Buffers{[]byte("two"), []byte("parts")}
	b.WriteTo(c)
}

func file() {
	c, s := pair()
	done.Go(func() { readsFile(c) })
	time.Sleep(pause)
	sendsFile(s)
}

func readsFile(c net.Conn) {
	var b [8]byte
	c.Read(b[:])
}

func sendsFile(c net.Conn) {
	f, err := os.Open(os.Args[0])
	check(err)
	io.CopyN(c, f, 8)
}

func deadline() {
	c, _ := pair()
	done.Go(func() { readsUntil(c) })
	time.Sleep(pause)
	interrupts(c)
}

func readsUntil(c net.Conn) {
	var b [8]byte
	c.Read(b[:])
}

func interrupts(c net.Conn) { c.SetReadDeadline(time.Unix(1, 0)) }

func closed() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	done.Go(func() { acceptsNobody(l) })
	time.Sleep(pause)
	closes(l)
}

func acceptsNobody(l net.Listener) { l.Accept() }
func closes(l net.Listener)        { l.Close() }

// A process that the program starts writes to the pipe. The program closes its own copy while somebody waits.
func child() {
	r, w, err := os.Pipe()
	check(err)
	done.Go(func() { readsChild(r) })
	time.Sleep(pause)
	c := exec.Command("sleep", "0.05")
	c.Stdout = w
	check(c.Start())
	w.Close()
	c.Wait()
}

func readsChild(r *os.File) {
	var b [8]byte
	r.Read(b[:])
}

// Somebody writes behind the back of package net.
func behind() {
	c, s := pair()
	done.Go(func() { readsBehind(c) })
	time.Sleep(pause)
	raw, err := s.(*net.TCPConn).SyscallConn()
	check(err)
	raw.Write(func(fd uintptr) bool { syscall.Write(int(fd), []byte("unseen")); return true })
	time.Sleep(pause)
	s.Write([]byte("seen"))
}

func readsBehind(c net.Conn) {
	var b [6]byte
	c.Read(b[:])
	c.Read(b[:])
}

// What a proxy copies within the kernel is not seen.
func proxy() {
	a, b := pair()
	c, d := pair()
	done.Go(func() { readsProxy(d) })
	done.Go(func() { io.Copy(c, b); c.Close() })
	time.Sleep(pause)
	a.Write([]byte("through"))
	time.Sleep(pause)
	a.Close()
}

func readsProxy(c net.Conn) {
	var b [16]byte
	c.Read(b[:])
	c.Read(b[:])
}
