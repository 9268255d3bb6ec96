// Program accepting closes a listener after somebody has accepted a connection there, who does not tell, and exits as tests do if it has an argument.
package main

import (
	"net"
	"os"
	"time"
)

func main() {
	for range 10 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		go func() { _, _ = l.Accept() }()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			panic(err)
		}
		time.Sleep(10 * time.Millisecond)
		l.Close()
		c.Close()
	}
	if len(os.Args) > 1 {
		os.Exit(0)
	}
}
