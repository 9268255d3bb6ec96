package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"time"

	"tracerec/instrument"
)

// pipeline is how a list of files is packed.
type pipeline struct {
	root    string // names in the result are relative to it
	workers int
	queue   int           // capacity of the channels before and behind the workers
	level   int           // of compression
	delay   time.Duration // by which the writer is slower, per file
}

// job is one file on its way to a worker.
type job struct {
	index int // in the list
	path  string
}

// packed is one file on its way to the writer.
type packed struct {
	index int
	read  int64 // size of the file
	data  []byte
	err   error
}

// totals is what was done.
type totals struct {
	files         int
	read, written int64
}

// run packs the files and writes them to w in the order of paths. The first error is returned after all
// stages have ended.
func (p *pipeline) run(paths []string, w io.Writer) (totals, error) {
	jobs := make(chan job, p.queue)
	results := make(chan packed, p.queue)
	instrument.Go(func() { feed(paths, jobs) })
	var workers instrument.WaitGroup
	for range p.workers {
		workers.Go(func() { p.work(jobs, results) })
	}
	instrument.Go(func() {
		workers.Wait()
		instrument.Close(results)
	})
	return p.write(results, w)
}

// feed hands the files to the workers.
func feed(paths []string, jobs chan<- job) {
	defer instrument.Region("feed").End()
	for i, path := range paths {
		instrument.Send(jobs, job{i, path})
	}
	instrument.Close(jobs)
}

// work packs files until there are no more.
func (p *pipeline) work(jobs <-chan job, results chan<- packed) {
	defer instrument.Region("work").End()
	packer, err := newPacker(p.level)
	for j := range instrument.Range(jobs) {
		r := packed{index: j.index, err: err}
		if err == nil {
			r.read, r.data, r.err = packer.pack(p.root, j.path)
		}
		instrument.Send(results, r)
	}
}

// write brings the results into order and writes them.
func (p *pipeline) write(results <-chan packed, w io.Writer) (sum totals, err error) {
	defer instrument.Region("write").End()
	early := make(map[int]packed) // results that came before their turn
	next := 0
	for r := range instrument.Range(results) {
		early[r.index] = r
		for r, ok := early[next]; ok; r, ok = early[next] {
			delete(early, next)
			next++
			if err == nil {
				err = p.writeOne(r, w, &sum)
			}
		}
	}
	return sum, err
}

func (p *pipeline) writeOne(r packed, w io.Writer, sum *totals) error {
	defer instrument.Region("write_file").End()
	if r.err != nil {
		return r.err
	}
	if p.delay > 0 {
		instrument.Sleep(p.delay)
	}
	n, err := w.Write(r.data)
	sum.files++
	sum.read += r.read
	sum.written += int64(n)
	return err
}

// packer is one worker's tools, used again for each file.
type packer struct {
	gz     *gzip.Writer
	gunzip *gzip.Reader
}

func newPacker(level int) (*packer, error) {
	gz, err := gzip.NewWriterLevel(io.Discard, level)
	return &packer{gz, new(gzip.Reader)}, err
}

// pack reads and packs one file and returns its size and the gzip member.
func (p *packer) pack(root, path string) (int64, []byte, error) {
	content, err := read(path)
	if err != nil {
		return 0, nil, err
	}
	name, err := filepath.Rel(root, path)
	if err != nil {
		return 0, nil, err
	}
	data, err := p.compress(name, content)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := p.verify(data, content); err != nil {
		return 0, nil, fmt.Errorf("%s: %w", path, err)
	}
	return int64(len(content)), data, nil
}

func read(path string) ([]byte, error) {
	defer instrument.Region("read").End()
	return os.ReadFile(path)
}

func (p *packer) compress(name string, content []byte) ([]byte, error) {
	defer instrument.Region("deflate").End()
	var buf bytes.Buffer
	p.gz.Reset(&buf)
	p.gz.Name = name
	if _, err := p.gz.Write(content); err != nil {
		return nil, err
	}
	err := p.gz.Close()
	return buf.Bytes(), err
}

// verify unpacks data and compares its checksum and length with those of content.
func (p *packer) verify(data, content []byte) error {
	defer instrument.Region("verify").End()
	if err := p.gunzip.Reset(bytes.NewReader(data)); err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	n, err := io.Copy(sum, p.gunzip)
	if err != nil {
		return err
	}
	if n != int64(len(content)) || sum.Sum32() != crc32.ChecksumIEEE(content) {
		return fmt.Errorf("unpacked differs from the file")
	}
	return nil
}
