// Command sockets talks with itself: HTTP over loopback, datagrams, sockets of family Unix, and what cannot be reached.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"sort"
	"sync"
	"syscall"
	"time"
)

func main() {
	web()
	if len(os.Args) > 1 {
		info, err := os.Stat(os.Args[1])
		check(err)
		fmt.Println(info.ModTime().UTC(), os.Environ())
		return
	}
	for _, network := range []string{"tcp4", "tcp6", "unix"} {
		streams(network)
	}
	for _, network := range []string{"udp4", "udp6", "unixgram"} {
		datagrams(network)
	}
	_, err := net.DialTimeout("tcp", "192.0.2.1:80", time.Second)
	fmt.Println(errors.Is(err, syscall.ENETUNREACH))
	_, err = net.Dial("tcp", "127.0.0.1:9")
	fmt.Println(errors.Is(err, syscall.ECONNREFUSED))
	_, err = net.Listen("tcp", "192.0.2.1:80")
	fmt.Println(errors.Is(err, syscall.EADDRNOTAVAIL))
	pair()
	packets()
}

// web serves clients that ask at once, while garbage is collected.
func web() {
	l, err := net.Listen("tcp", "localhost:0")
	check(err)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		check(err)
		json.NewEncoder(w).Encode(map[string]any{"path": r.URL.Path, "size": len(b)})
	})}
	go server.Serve(l)
	var mu sync.Mutex
	var answers []string
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 3 {
				r, err := http.Post(fmt.Sprintf("http://%s/%d/%d", l.Addr(), i, j), "text/plain", bytes.NewReader(make([]byte, 5_000*i)))
				check(err)
				b, err := io.ReadAll(r.Body)
				check(err)
				r.Body.Close()
				mu.Lock()
				answers = append(answers, string(b))
				mu.Unlock()
			}
			runtime.GC()
		})
	}
	wg.Wait()
	check(server.Close())
	sort.Strings(answers)
	fmt.Print(len(answers), " ", answers[0], answers[23])
}

func streams(network string) {
	at := map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0", "unix": os.Getenv("OUT") + "/socket"}[network]
	l, err := net.Listen(network, at)
	check(err)
	_, err = net.Listen(network, l.Addr().String())
	used := errors.Is(err, syscall.EADDRINUSE)
	go func() {
		c, err := l.Accept()
		check(err)
		n, err := io.Copy(c, c)
		check(err)
		fmt.Fprint(c, " ", n)
		c.Close()
	}()
	c, err := net.Dial(network, l.Addr().String())
	check(err)
	go func() {
		c.Write(bytes.Repeat([]byte("x"), 1<<18))
		c.(interface{ CloseWrite() error }).CloseWrite()
	}()
	b, err := io.ReadAll(c)
	check(err)
	c.SetReadDeadline(time.Now().Add(time.Minute))
	fmt.Println(network, len(b), string(b[len(b)-6:]), used, l.Close())

	// A deadline that passes.
	l, err = net.Listen(network, at)
	check(err)
	defer l.Close()
	l.(interface{ SetDeadline(time.Time) error }).SetDeadline(time.Now().Add(time.Second))
	begin := time.Now()
	_, err = l.Accept()
	fmt.Println(errors.Is(err, os.ErrDeadlineExceeded), time.Since(begin) >= time.Second)
}

func datagrams(network string) {
	at := map[string]string{"udp4": "127.0.0.1:0", "udp6": "[::1]:0", "unixgram": os.Getenv("OUT") + "/datagrams"}[network]
	s, err := net.ListenPacket(network, at)
	check(err)
	defer s.Close()
	c, err := net.Dial(network, s.LocalAddr().String())
	check(err)
	fmt.Fprint(c, "one")
	fmt.Fprint(c, "three")
	b := make([]byte, 4)
	for range 2 {
		n, from, err := s.ReadFrom(b)
		fmt.Println(network, string(b[:n]), err, from == nil || from.String() == c.LocalAddr().String())
	}
	if network != "unixgram" {
		s.WriteTo([]byte("back"), c.LocalAddr())
		n, err := c.Read(b)
		fmt.Println(string(b[:n]), err)
		s.Close()
		c.Write(b)
		_, err = c.Read(b)
		fmt.Println(errors.Is(err, syscall.ECONNREFUSED))
	}
}

// packets come one by one, over a connection.
func packets() {
	l, err := net.Listen("unixpacket", os.Getenv("OUT")+"/packets")
	check(err)
	defer l.Close()
	go func() {
		c, err := net.Dial("unixpacket", l.Addr().String())
		check(err)
		for n := range 5 {
			c.Write(bytes.Repeat([]byte{'a' + byte(n)}, 30_000*n%40_000+3))
		}
		_, err = c.Write(make([]byte, 1<<20))
		fmt.Println(errors.Is(err, syscall.EMSGSIZE))
		c.Close()
	}()
	c, err := l.Accept()
	check(err)
	b := make([]byte, 20_000)
	for {
		time.Sleep(time.Millisecond)
		n, err := c.Read(b)
		if err == io.EOF {
			break
		}
		fmt.Println("packet", n, string(b[:min(n, 3)]), err)
	}
	_, err = c.Write([]byte("nobody"))
	fmt.Println(errors.Is(err, syscall.EPIPE))
	_, err = net.Dial("unix", l.Addr().String())
	fmt.Println(errors.Is(err, syscall.EPROTOTYPE))
	_, err = syscall.Socket(syscall.AF_INET, syscall.SOCK_SEQPACKET, 0)
	fmt.Println(err)
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET, 0)
	check(err)
	for _, text := range []string{"one", "", "three"} {
		_, err = syscall.Write(fds[0], []byte(text))
		check(err)
	}
	for range 3 {
		n, _, flags, _, err := syscall.Recvmsg(fds[1], b[:4], nil, 0)
		fmt.Printf("%q %d %v\n", b[:n], flags&syscall.MSG_TRUNC, err)
	}
	kind, err := syscall.GetsockoptInt(fds[0], syscall.SOL_SOCKET, syscall.SO_TYPE)
	fmt.Println(kind, err)
}

func pair() {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	check(err)
	_, err = syscall.Write(fds[0], []byte("pair"))
	check(err)
	b := make([]byte, 8)
	n, err := syscall.Read(fds[1], b)
	fmt.Println(string(b[:n]), err)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
