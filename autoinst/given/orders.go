// Package given is about programs and tests that the go command would run and gives to a command of its -exec flag instead: what is to
// become of them is in orders, which [tracerec/autoinst/build] gives, and what that command leaves is read there. It imports little, because go test
// starts such a command for each package.
package given

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Orders tell what to do with programs that the go command gives to us to run.
type Orders struct {
	Output string   // directory for the archives of tests
	Exec   []string // command of the user's that runs programs, nil if there is none
	Cache  string   // directory in which programs stay after the go command has ended
}

// The files in the temporary directory of a build.
const (
	ordersFile  = "orders.json"
	programFile = "program.json"
	reports     = "report-*.json"
	runningFile = "running" // locked by those who record tests
)

// Give writes the orders into a directory that is theirs, and locks them until they are revoked: that waits until nobody follows them any longer.
func (o *Orders) Give(dir string) (file string, revoke func() error, err error) {
	file = filepath.Join(dir, ordersFile)
	if err := writeJSON(file, o); err != nil {
		return "", nil, err
	}
	lock, err := locked(file, false)
	if err != nil {
		return "", nil, err
	}
	return file, func() error {
		lock.Close()
		running, err := locked(filepath.Join(dir, runningFile), true)
		if err == nil {
			err = running.Close()
		}
		return err
	}, nil
}

// obey ends this process when who gave the orders is no longer there, or its go command is not: then nobody locks them any longer. The file
// that it returns tells that orders are followed, until it is closed.
func obey(orders string) (running *os.File, err error) {
	if running, err = locked(filepath.Join(filepath.Dir(orders), runningFile), false); err != nil {
		return nil, err
	}
	go func() {
		if lock, err := locked(orders, true); err == nil {
			lock.Close() // for others
			terminate()
		}
	}()
	return running, nil
}

func writeJSON(name string, x any) error {
	text, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o600)
}

func readJSON(name string, to any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

// A Program is one that go run has built.
type Program struct {
	Args []string // the first is its file
	Dir  string   // where to run it
	Env  []string // with which environment
}

// Take notes the program that go run gives to us, with its arguments: who gave the orders is to run it.
func Take(orders string, args []string) error {
	var o Orders
	if err := readJSON(orders, &o); err != nil {
		return err
	}
	at := filepath.Dir(orders)
	p := Program{Args: slices.Clone(args), Env: os.Environ()}
	var err error
	if p.Dir, err = os.Getwd(); err != nil {
		return err
	}
	if in, err := filepath.Rel(o.Cache, args[0]); err != nil || !filepath.IsLocal(in) { // it goes with the go command
		p.Args[0] = filepath.Join(at, filepath.Base(args[0]))
		if err := keep(p.Args[0], args[0]); err != nil {
			return err
		}
	}
	p.Args = slices.Concat(o.Exec, p.Args)
	return writeJSON(filepath.Join(at, programFile), &p)
}

// keep makes a link to a file, or a copy.
func keep(to, from string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// Taken returns the program that was noted, of orders in dir; nil if there was none.
func Taken(dir string) (*Program, error) {
	var p Program
	if err := readJSON(filepath.Join(dir, programFile), &p); os.IsNotExist(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return &p, nil
}

// Enter makes this process one that has directory and environment of the program.
func (p *Program) Enter() error {
	os.Clearenv()
	for _, v := range p.Env {
		name, value, _ := strings.Cut(v, "=")
		os.Setenv(name, value)
	}
	return os.Chdir(p.Dir)
}
