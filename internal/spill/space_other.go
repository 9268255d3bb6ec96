//go:build !linux

package spill

import "errors"

// space gives no memory: all is of the heap.
type space struct{}

const supported = false

func (s *space) open(dir string) error { return nil }

func (s *space) close() {}

func (s *space) more(size int) ([]byte, error) { return nil, errors.ErrUnsupported }

func (s *space) longer(b []byte, size int) []byte { return nil }

func unmap(b []byte) {}

func putAside(b []byte) {}

func (s *space) residentNow() int64 { return 0 }
