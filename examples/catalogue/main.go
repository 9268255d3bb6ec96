// Command catalogue is a service over HTTP that answers from what it has asked another service for, together with that service, and with
// clients. It serves net/http/pprof, and is not instrumented.
//
// One request in 50 renews what the service knows, and holds the lock meanwhile. With -fixed it asks first, and then holds the lock for
// the assignment only.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
	"sync"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "catalogue:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("catalogue", flag.ExitOnError)
	address := flags.String("http", "127.0.0.1:6060", "`address` to serve at")
	span := flags.Duration("for", time.Minute, "how long the clients ask")
	fixed := flags.Bool("fixed", false, "ask the other service without the lock")
	flags.Parse(args)

	supplier, err := serve("127.0.0.1:0", http.HandlerFunc(stock))
	if err != nil {
		return err
	}
	defer supplier.Close()
	c := &catalogue{supplier: "http://" + supplier.Addr().String(), fixed: *fixed, items: map[string]string{}}
	http.HandleFunc("GET /item/{name}", c.item) // beside what net/http/pprof registers
	service, err := serve(*address, http.DefaultServeMux)
	if err != nil {
		return err
	}
	defer service.Close()
	answers, err := ask("http://"+service.Addr().String(), *span)
	fmt.Fprintln(out, answers, "answers")
	return err
}

// serve lets a handler answer at an address until the listener is closed.
func serve(address string, h http.Handler) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err == nil {
		go http.Serve(l, h)
	}
	return l, err
}

// stock is the other service: it takes its time.
func stock(w http.ResponseWriter, _ *http.Request) {
	time.Sleep(20 * time.Millisecond)
	fmt.Fprint(w, rand.IntN(100))
}

// catalogue answers what there is of an item.
type catalogue struct {
	supplier string
	fixed    bool

	mu    sync.Mutex
	items map[string]string
	asked int
}

func (c *catalogue) item(w http.ResponseWriter, r *http.Request) {
	text, err := c.get(r.PathValue("name"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	fmt.Fprintln(w, text)
}

// get looks an item up. Once in a while that must be renewed.
func (c *catalogue) get(name string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	if c.asked%50 != 0 {
		return c.items[name], nil
	}
	if c.fixed {
		c.mu.Unlock()
		text, err := c.renew(name)
		c.mu.Lock()
		c.items[name] = text
		return text, err
	}
	text, err := c.renew(name)
	c.items[name] = text
	return text, err
}

// renew asks the other service for an item.
func (c *catalogue) renew(name string) (string, error) {
	answer, err := http.Get(c.supplier + "/" + name)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}

// ask lets clients ask for items, and returns how many answers they got.
func ask(url string, span time.Duration) (answers int, failed error) {
	const clients = 16
	var mu sync.Mutex
	var wg sync.WaitGroup
	end := time.Now().Add(span)
	for range clients {
		wg.Go(func() {
			client := http.Client{Transport: &http.Transport{}}
			for time.Now().Before(end) {
				time.Sleep(time.Duration(rand.ExpFloat64() * 20e6)) // ns
				err := get(&client, fmt.Sprintf("%s/item/%d", url, rand.IntN(20)))
				mu.Lock()
				answers, failed = answers+1, errors.Join(failed, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return answers, failed
}

// get reads an answer.
func get(client *http.Client, url string) error {
	answer, err := client.Get(url)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", answer.Status, text)
	}
	return err
}
