package main

import (
	"bytes"
	"compress/flate"
	"io"
	"sync"

	"tracerec/instrument"
)

// store keeps values compressed in memory.
type store struct {
	hot  bool        // do the compression while holding the lock
	lock sync.Locker // guards values
	read sync.Locker // guards values for readers: lock itself, or the shared side of an RWMutex
	data map[string][]byte
}

func newStore(hot, rw bool) *store {
	s := &store{hot: hot, data: make(map[string][]byte)}
	if rw {
		mu := new(instrument.RWMutex)
		s.lock, s.read = mu, mu.RLocker()
	} else {
		mu := new(instrument.Mutex)
		s.lock, s.read = mu, mu
	}
	return s
}

// put stores a value. A lock must only be held for the map, as compression takes a thousand times as long.
func (s *store) put(key string, value []byte) error {
	defer instrument.Region("put").End()
	if s.hot {
		s.lock.Lock()
		defer s.lock.Unlock()
		packed, err := pack(value)
		s.data[key] = packed
		return err
	}
	packed, err := pack(value)
	s.lock.Lock()
	s.data[key] = packed
	s.lock.Unlock()
	return err
}

// get returns a value, and whether there is one.
func (s *store) get(key string) (value []byte, ok bool, err error) {
	defer instrument.Region("get").End()
	if s.hot {
		s.read.Lock()
		defer s.read.Unlock()
		packed, ok := s.data[key]
		if ok {
			value, err = unpack(packed)
		}
		return value, ok, err
	}
	s.read.Lock()
	packed, ok := s.data[key]
	s.read.Unlock()
	if ok {
		value, err = unpack(packed)
	}
	return value, ok, err
}

// writers keeps compressors, each of which has a megabyte of tables.
var writers = sync.Pool{New: func() any {
	w, err := flate.NewWriter(io.Discard, flate.DefaultCompression)
	if err != nil {
		panic(err) // only for a level that does not exist
	}
	return w
}}

func pack(value []byte) ([]byte, error) {
	defer instrument.Region("pack").End()
	w := writers.Get().(*flate.Writer)
	defer writers.Put(w)
	var buf bytes.Buffer
	w.Reset(&buf)
	if _, err := w.Write(value); err != nil {
		return nil, err
	}
	err := w.Close()
	return buf.Bytes(), err
}

func unpack(packed []byte) ([]byte, error) {
	defer instrument.Region("unpack").End()
	return io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
}
