// Command services contains small servers as people write them, each with one planted cause of slow requests. The test puts them under load, as they
// are and recorded, and holds what expert says of their requests against what the servers themselves noted.
//
//	services [-trace FILE] [-truth FILE] [-backend ADDRESS] NAME
//
// A server says on standard output where it listens, and ends when standard input does.
package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/trace"
	"time"
)

// scenarios are the servers by name. Each says how the requests to its mux are handled.
var scenarios = map[string]func(*http.ServeMux){
	"mutex": mutexSlow, "hot": mutexHot, "pool": pool, "down": downstream, "fan": fanOut, "rw": readersChain, "sql": connectionPool, "gc": pressure, "h2": downstream,
}

func main() {
	traceFile := flag.String("trace", "", "write an execution trace")
	truthFile := flag.String("truth", "", "write what really happened")
	flag.StringVar(&backend, "backend", "", "where the other machine listens")
	flag.Parse()
	if err := run(flag.Arg(0), *traceFile, *truthFile); err != nil {
		fmt.Fprintln(os.Stderr, "services:", err)
		os.Exit(1)
	}
}

func run(name, traceFile, truthFile string) error {
	plant := scenarios[name]
	if plant == nil {
		return fmt.Errorf("there is no scenario %q", name)
	}
	var out *os.File
	if traceFile != "" {
		f, err := os.Create(traceFile)
		if err == nil {
			err = trace.Start(f)
		}
		if err != nil {
			return err
		}
		out = f
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ping", ping)
	plant(mux)
	server := &http.Server{Handler: witness(mux), ConnContext: withConn}
	if name == "h2" {
		server.Protocols = new(http.Protocols)
		server.Protocols.SetUnencryptedHTTP2(true)
	}
	go server.Serve(watched{listener})
	fmt.Println(listener.Addr())
	io.Copy(io.Discard, os.Stdin)
	if out != nil {
		trace.Stop()
		if err := out.Close(); err != nil {
			return err
		}
	}
	return truth.write(truthFile)
}

// ping is a request without a cause of waiting.
func ping(w http.ResponseWriter, _ *http.Request) {
	compute(100 * time.Microsecond)
	fmt.Fprintln(w, "ok")
}

// compute keeps a processor busy.
func compute(d time.Duration) {
	for t := time.Now(); time.Since(t) < d; {
	}
}
