//go:build linux

package linux

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"tracerec/simulator/memory"
	"tracerec/simulator/riscv"
)

// process is an address space with threads and files.
type process struct {
	*image
	family
	job
	k       *Kernel
	id      int
	threads []*thread
	retired uint64 // instructions of threads that have ended
	files   files
	actions [signals]action
	limits  rlimits
	program string // absolute name, of the guest
	began   int64  // ns since boot
	dir     string // working directory
}

// image is an address space; a child shares its parent's until it executes another program.
type image struct {
	space   *memory.Space
	code    *riscv.Code
	breakAt uint64 // end of the data segment
	least   uint64 // of it
	users   int    // processes
}

func newImage(s *memory.Space) *image { return &image{space: s, code: riscv.NewCode(s), users: 1} }

// release ends a process's use of its address space.
func (p *process) release() (err error) {
	if p.image.users--; p.image.users == 0 {
		err = p.space.Close()
	}
	return err
}

// Addresses of a process.
const (
	addresses  = 1 << 38 // as much as Sv39 has for programs
	stackTop   = addresses - 1<<20
	stackSize  = 8 << 20
	returnPage = addresses - 1<<19 // code that ends signal handlers
	mapsBelow  = stackTop - 64<<20
	mapsAbove  = 1 << 16
	largest    = 1 << 34 // of a segment, and of all
)

// New loads a program, the content of its file.
func New(program []byte, o Options) (*Kernel, error) {
	o.CPUs = max(1, o.CPUs)
	k := &Kernel{o: o, random: rand.New(rand.NewPCG(o.Seed, 1)), cpus: make([]cpu, o.CPUs), nextID: 1000}
	var err error
	if k.perf, err = newPerf(k); err != nil {
		return nil, err
	}
	if k.fs, err = newFileSystem(o.Mounts); err != nil {
		return nil, err
	}
	p := &process{k: k, id: k.newID(), dir: cmp.Or(o.Dir, "/"), limits: newLimits()}
	p.group, p.session = p.id, p.id
	p.program = k.fs.absolute(p.dir, append(slices.Clone(o.Args), "program")[0])
	hart, err := p.start(program, o.Args, o.Env)
	if err != nil {
		return nil, errors.Join(err, k.fs.close())
	}
	if err := k.checkStart(p); err != nil {
		return nil, errors.Join(err, p.release(), k.fs.close())
	}
	p.files = newFiles(k)
	k.first, k.all = p, []*process{p}
	k.enqueue(p.newThread(hart))
	k.tell(func(l Lifecycle) { l.Loaded(p.id, program) })
	return k, nil
}

// Close frees what the run took of the host.
func (k *Kernel) Close() error {
	var errs []error
	for _, p := range k.all {
		if !p.dead {
			p.files.closeAll()
			errs = append(errs, p.release())
		}
	}
	k.all = nil
	return errors.Join(append(errs, k.fs.close())...)
}

func (k *Kernel) newID() int {
	k.nextID++
	return k.nextID - 1
}

func (p *process) newThread(h *riscv.Hart) *thread {
	t := &thread{k: p.k, p: p, hart: h, id: p.id}
	if len(p.threads) > 0 {
		t.id = p.k.newID()
	}
	t.events = perfContext{thread: t.id, cpu: -1}
	if p.k.o.Observer != nil {
		h.Observe(p.k.o.Observer)
	}
	p.threads = append(p.threads, t)
	return t
}

// start gives the process an address space of its own with a program in it, and returns a hart at its beginning.
func (p *process) start(program []byte, args, env []string) (*riscv.Hart, error) {
	space, err := memory.New(addresses)
	if err != nil {
		return nil, err
	}
	p.image = newImage(space)
	h := riscv.NewHart(p.code)
	entry, headers, err := p.load(program)
	if err == nil {
		h.PC = entry
		h.X[2], err = p.makeStack(headers, entry, args, env)
	}
	if err != nil {
		return nil, errors.Join(err, p.release())
	}
	return h, nil
}

// programHeaders says where a program's headers are in its memory.
type programHeaders struct {
	at    uint64
	count int
}

// load maps the segments of a static ELF file.
func (p *process) load(program []byte) (entry uint64, headers programHeaders, err error) {
	f, err := elf.NewFile(bytes.NewReader(program))
	if err != nil {
		return 0, headers, notELF(program, err)
	}
	switch {
	case f.Machine != elf.EM_RISCV || f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB:
		return 0, headers, fmt.Errorf("a program for %v, %v, not for RV64", f.Machine, f.Class)
	case f.Type != elf.ET_EXEC:
		return 0, headers, fmt.Errorf("%v: only statically linked programs at fixed addresses can run", f.Type)
	}
	offset := binary.LittleEndian.Uint64(program[32:])
	headers.count = len(f.Progs)
	total := uint64(0)
	for _, s := range f.Progs {
		switch s.Type {
		case elf.PT_INTERP:
			return 0, headers, errors.New("a dynamically linked program; link it statically")
		case elf.PT_LOAD:
			if total += s.Memsz; s.Memsz > largest || total > largest {
				return 0, headers, fmt.Errorf("a segment of %d MiB is too large", s.Memsz>>20)
			}
			if err := p.loadSegment(s); err != nil {
				return 0, headers, err
			}
			if offset >= s.Off && offset < s.Off+s.Filesz {
				headers.at = s.Vaddr + offset - s.Off
			}
		}
	}
	p.breakAt = (p.breakAt + memory.PageSize - 1) &^ (memory.PageSize - 1)
	p.least = p.breakAt
	return f.Entry, headers, nil
}

func (p *process) loadSegment(s *elf.Prog) error {
	begin := s.Vaddr &^ (memory.PageSize - 1)
	end := (s.Vaddr + s.Memsz + memory.PageSize - 1) &^ (memory.PageSize - 1)
	if s.Memsz == 0 {
		return nil
	}
	if s.Filesz > s.Memsz || s.Vaddr > mapsBelow || end <= begin || end > mapsBelow {
		return fmt.Errorf("a segment of %d bytes at %#x does not fit", s.Memsz, s.Vaddr)
	}
	if err := p.space.Map(begin, end-begin, memory.Read|memory.Write, p.program); err != nil {
		return fmt.Errorf("segment at %#x: %w", s.Vaddr, err)
	}
	content, _ := p.space.Bytes(s.Vaddr, s.Filesz, memory.Write)
	if _, err := io.ReadFull(s.Open(), content); err != nil {
		return fmt.Errorf("segment at %#x: %w", s.Vaddr, err)
	}
	var prot memory.Prot
	for flag, bit := range map[elf.ProgFlag]memory.Prot{elf.PF_R: memory.Read, elf.PF_W: memory.Write, elf.PF_X: memory.Exec} {
		if s.Flags&flag != 0 {
			prot |= bit
		}
	}
	p.breakAt = max(p.breakAt, end)
	return p.space.Protect(begin, end-begin, prot)
}

// Keys of the auxiliary vector.
const (
	auxPHDR, auxPHENT, auxPHNUM, auxPageSize, auxEntry = 3, 4, 5, 6, 9
	auxUID, auxEUID, auxGID, auxEGID, auxHWCAP         = 11, 12, 13, 14, 16
	auxClockTick, auxSecure, auxRandom                 = 17, 23, 25
)

// makeStack maps the stack with arguments, environment and auxiliary vector, and returns the stack pointer.
func (p *process) makeStack(headers programHeaders, entry uint64, args, env []string) (uint64, error) {
	if err := p.space.Map(stackTop-stackSize, stackSize, memory.Read|memory.Write, "[stack]"); err != nil {
		return 0, err
	}
	// li a7, 139 (rt_sigreturn); ecall
	if err := p.space.Map(returnPage, memory.PageSize, memory.Read|memory.Write, "[vdso]"); err != nil {
		return 0, err
	}
	if err := p.put(returnPage, []byte{0x93, 0x08, 0xb0, 0x08, 0x73, 0, 0, 0}); err != 0 {
		return 0, err
	}
	if err := p.space.Protect(returnPage, memory.PageSize, memory.Read|memory.Exec); err != nil {
		return 0, err
	}
	sp := uint64(stackTop)
	push := func(b []byte) uint64 {
		sp -= uint64(len(b))
		p.put(sp, b)
		return sp
	}
	total := 0
	for _, s := range slices.Concat(args, env) {
		total += len(s) + 9
	}
	if total > stackSize/4 {
		return 0, fmt.Errorf("%d bytes of arguments and environment are too many", total)
	}
	var seed [16]byte
	for i := range seed {
		seed[i] = byte(p.k.random.Uint32())
	}
	random := push(seed[:])
	words := []uint64{uint64(len(args))}
	for _, list := range [][]string{args, env} {
		for _, s := range list {
			words = append(words, push(append([]byte(s), 0)))
		}
		words = append(words, 0)
	}
	words = append(words, auxPHDR, headers.at, auxPHENT, 56, auxPHNUM, uint64(headers.count), auxPageSize, memory.PageSize,
		auxEntry, entry, auxUID, 1000, auxEUID, 1000, auxGID, 1000, auxEGID, 1000, auxHWCAP, hwcap, auxClockTick, 100,
		auxSecure, 0, auxRandom, random, 0, 0)
	sp = sp&^15 - uint64(8*len(words)+15)&^15
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	p.put(sp, b)
	return sp, nil
}

// hwcap says which single-letter extensions there are: I, M, A, F, D and C.
const hwcap = 1<<('I'-'A') | 1<<('M'-'A') | 1<<0 | 1<<('F'-'A') | 1<<('D'-'A') | 1<<('C'-'A')
