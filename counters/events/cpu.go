package events

import (
	"runtime"
	"strconv"
	"strings"
	"sync"

	"tracerec/internal/rawfile"
)

// CPU identifies a model of processor. On x86 vendor, family, model and stepping are those of the instruction cpuid; on
// arm64 they are the implementer (0x41), the architecture (8), the part number and the revision.
type CPU struct {
	Arch     string `json:"arch"`   // as GOARCH
	Vendor   string `json:"vendor"` // GenuineIntel, AuthenticAMD, 0x41
	Family   int    `json:"family"`
	Model    int    `json:"model"`
	Stepping int    `json:"stepping"`
	Name     string `json:"name,omitempty"` // as it calls itself; may be empty
}

// Here returns the processor that runs this program, as far as /proc/cpuinfo tells: elsewhere only Arch is set.
func Here() CPU { return here() }

var here = sync.OnceValue(func() CPU { return parseCPU(runtime.GOARCH, Info()) })

// Info returns /proc/cpuinfo as it was first read, "" if there is none: the kernel asks each processor for it, which takes long.
func Info() string { return info() }

var info = sync.OnceValue(func() string {
	text, _ := rawfile.Read("/proc/cpuinfo")
	return string(text)
})

// parseCPU reads the first processor of a /proc/cpuinfo.
func parseCPU(arch, info string) CPU {
	c := CPU{Arch: arch}
	first, _, _ := strings.Cut(info, "\n\n")
	for line := range strings.Lines(first) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		number, _ := strconv.ParseInt(value, 0, 32)
		switch strings.TrimSpace(key) {
		case "vendor_id", "CPU implementer":
			c.Vendor = value
		case "cpu family", "CPU architecture":
			c.Family = int(number)
		case "model", "CPU part":
			c.Model = int(number)
		case "stepping", "CPU revision":
			c.Stepping = int(number)
		case "model name":
			c.Name = value
		}
	}
	return c
}
