// Package hardware describes the machine: processor, caches, translation buffers, memory, what can be counted (PAPI's
// papi_hardware_avail and papi_mem_info).
//
// [Here] reads sysfs, procfs and, on x86, the instruction cpuid. What the system does not report is absent: zero, empty or
// nil. A call takes some milliseconds.
package hardware

import (
	"io/fs"
	"os"
	"runtime"
	"strings"

	"tracerec/counters/events"
)

// Machine is what is known of a machine.
type Machine struct {
	CPU        events.CPU `json:"cpu"`
	Sockets    int        `json:"sockets,omitempty"`
	Cores      int        `json:"cores,omitempty"`   // of all sockets
	Threads    int        `json:"threads"`           // hardware threads that are on line
	Clock      Clock      `json:"clock"`             // how fast it runs
	Caches     []Cache    `json:"caches,omitempty"`  // that hardware thread 0 uses, nearest first
	TLBs       []TLB      `json:"tlbs,omitempty"`    // likewise
	Memory     int64      `json:"memory,omitempty"`  // bytes
	PageSize   int        `json:"page_size"`         // bytes
	Nodes      []Node     `json:"nodes,omitempty"`   // of memory
	Kernel     string     `json:"kernel,omitempty"`  // its release
	Hypervisor string     `json:"virtual,omitempty"` // KVM, VMware …; empty on bare metal or where nobody tells
	Counters   *Counters  `json:"counters,omitempty"`
	Paranoid   *int       `json:"perf_event_paranoid,omitempty"` // what the kernel permits: 2 is own programs in user mode
	Watchdog   bool       `json:"nmi_watchdog,omitempty"`        // the kernel keeps a counter of cycles for itself
}

// Clock is rates of clocks, in kHz; the base and time-stamp rates are what counts of cycles are turned into time with.
type Clock struct {
	Now  int64 `json:"now_khz,omitempty"` // of processor 0
	Min  int64 `json:"min_khz,omitempty"`
	Max  int64 `json:"max_khz,omitempty"`
	Base int64 `json:"base_khz,omitempty"`
}

// Cache is one cache.
type Cache struct {
	Level  int    `json:"level"`
	Kind   string `json:"kind"`           // data, instruction, unified
	Size   int64  `json:"size"`           // bytes
	Line   int    `json:"line"`           // bytes
	Ways   int    `json:"ways,omitempty"` // 0 is unknown
	Sets   int    `json:"sets,omitempty"`
	Shared int    `json:"shared"` // hardware threads that share it
}

// TLB is one translation lookaside buffer, for pages of one or more sizes.
type TLB struct {
	Level   int      `json:"level"`
	Kind    string   `json:"kind"`  // data, instruction, unified, load, store
	Pages   []string `json:"pages"` // 4K, 2M, 4M, 1G
	Entries int      `json:"entries"`
	Ways    int      `json:"ways,omitempty"` // 0: fully associative
}

// Node is a part of memory and the processors next to it.
type Node struct {
	ID     int    `json:"id"`
	CPUs   string `json:"cpus"`             // as the kernel lists them: 0-3,8
	Memory int64  `json:"memory,omitempty"` // bytes
}

// Counters is the hardware counters of a hardware thread.
type Counters struct {
	General int    `json:"general"`
	Fixed   int    `json:"fixed"`
	Width   int    `json:"width,omitempty"` // bits
	Unit    string `json:"unit"`            // that the kernel offers them by; empty: they are there, but the kernel does not offer them
}

// identification is the instruction cpuid.
type identification func(leaf, sub uint32) (a, b, c, d uint32)

// Here describes this machine.
func Here() Machine {
	m := read(os.DirFS("/"), hereID)
	m.CPU = events.Here()
	m.PageSize = os.Getpagesize()
	if m.Threads == 0 {
		m.Threads = runtime.NumCPU()
	}
	return m
}

// ProcessorHere is the part of Here that says what a processor is; it takes a fraction of the time.
func ProcessorHere() (events.CPU, Clock) {
	return events.Here(), source{os.DirFS("/")}.clock(events.Info)
}

// read describes the machine whose root directory it is given.
func read(root fs.FS, id identification) Machine {
	s := source{root}
	m := Machine{Kernel: s.text("proc/sys/kernel/osrelease"), Caches: s.caches(), Nodes: s.nodes(), Memory: s.memory()}
	m.Sockets, m.Cores, m.Threads = s.topology()
	m.Clock = s.clock(func() string { return s.text("proc/cpuinfo") })
	if v, ok := s.number("proc/sys/kernel/perf_event_paranoid"); ok {
		paranoid := int(v)
		m.Paranoid = &paranoid
	}
	watchdog, _ := s.number("proc/sys/kernel/nmi_watchdog")
	m.Watchdog = watchdog != 0
	m.Hypervisor = s.text("sys/hypervisor/type")
	if id != nil {
		m.TLBs = tlbs(id)
		m.Counters = counters(id)
		if h := hypervisor(id); h != "" {
			m.Hypervisor = h
		}
	}
	m.Counters = s.unit(m.Counters)
	return m
}

// coreUnits is the names that Linux gives to the unit of a core.
var coreUnits = []string{"cpu", "cpu_core", "armv8_pmuv3_0", "armv8_pmuv3"}

// unit finds the kernel's unit of the core's counters.
func (s source) unit(c *Counters) *Counters {
	units := s.list("sys/bus/event_source/devices")
	for _, u := range units {
		for _, known := range coreUnits {
			if u == known || strings.HasPrefix(u, "armv8_") {
				if c == nil {
					c = &Counters{}
				}
				c.Unit = u
				return c
			}
		}
	}
	return c
}
