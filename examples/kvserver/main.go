// Command kvserver is a key-value service over HTTP together with clients that load it. Values are
// kept compressed, in a map behind a lock. The clients check every answer.
//
// With -hot-lock the service compresses and expands while it holds the lock, so that its handlers wait for
// each other. With -rw the lock is an RWMutex.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"tracerec/instrument"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "kvserver:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("kvserver", flag.ExitOnError)
	clients := flags.Int("clients", 8, "clients at the same time")
	requests := flags.Int("requests", 1200, "requests of each client")
	size := flags.Int("size", 32<<10, "bytes of each value")
	hot := flags.Bool("hot-lock", false, "hold the lock across slow work")
	rw := flags.Bool("rw", false, "use an RWMutex")
	flags.Parse(args)
	if *clients < 1 || *requests < 1 || *size < 1 {
		return errors.New("-clients, -requests and -size must be positive")
	}

	defer instrument.Region("kvserver").End()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := newStore(*hot, *rw)
	server := &http.Server{Handler: s.handler()}
	l := &load{url: "http://" + listener.Addr().String(), clients: *clients, requests: *requests, size: *size}
	l.stop = func() { server.Close() }
	l.start()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	if err := l.result(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d puts and %d gets by %d clients, every value as it was put; %d keys\n",
		l.puts.Load(), l.gets.Load(), l.clients, len(s.data))
	return nil
}
