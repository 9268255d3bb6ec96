//go:build linux

package sweep

import (
	"hash"
	"io"
	"sync"
)

// marked hashes what is written, and to which stream.
type marked struct {
	hash.Hash
	stream byte
}

func (m marked) Write(b []byte) (int, error) {
	m.Hash.Write([]byte{m.stream})
	return m.Hash.Write(b)
}

// sharedInput is the standard input, which all runs read from its beginning.
type sharedInput struct {
	sync.Mutex
	from io.Reader
	got  []byte
	err  error
}

// inputReader reads it for one run.
type inputReader struct {
	of *sharedInput
	at int
}

func (r *inputReader) Read(b []byte) (int, error) {
	r.of.Lock()
	defer r.of.Unlock()
	for r.at+len(b) > len(r.of.got) && r.of.err == nil { // all runs get pieces of the same sizes
		chunk := make([]byte, 64<<10)
		var n int
		n, r.of.err = r.of.from.Read(chunk)
		r.of.got = append(r.of.got, chunk[:n]...)
	}
	n := copy(b, r.of.got[r.at:])
	if r.at += n; n == 0 && len(b) > 0 {
		return 0, r.of.err
	}
	return n, nil
}
