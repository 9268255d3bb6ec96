package hardware

import (
	"encoding/binary"
	"strings"
)

// vendor returns who made the processor, and its highest leaf.
func vendor(id identification) (name string, highest uint32) {
	a, b, c, d := id(0, 0)
	return letters(b, d, c), a
}

// letters are the bytes of registers.
func letters(registers ...uint32) string {
	var text []byte
	for _, r := range registers {
		text = binary.LittleEndian.AppendUint32(text, r)
	}
	return strings.TrimRight(string(text), "\x00 ")
}

// hypervisor names what runs the machine, if that is a program that says so.
func hypervisor(id identification) string {
	if _, _, c, _ := id(1, 0); c>>31 == 0 {
		return ""
	}
	_, b, c, d := id(0x40000000, 0)
	switch name := letters(b, c, d); name {
	case "KVMKVMKVM":
		return "KVM"
	case "Microsoft Hv":
		return "Hyper-V"
	case "VMwareVMware":
		return "VMware"
	case "XenVMMXenVMM":
		return "Xen"
	case "TCGTCGTCGTCG":
		return "QEMU"
	case "":
		return "unknown hypervisor"
	default:
		return name
	}
}

// counters describes the hardware counters: Intel's leaf 0xa, AMD's features. It returns nil if there are none.
func counters(id identification) *Counters {
	switch name, highest := vendor(id); {
	case name == "GenuineIntel" && highest >= 0xa:
		a, _, _, d := id(0xa, 0)
		if a&0xff == 0 {
			return nil
		}
		return &Counters{General: int(a >> 8 & 0xff), Fixed: int(d & 0x1f), Width: int(a >> 16 & 0xff)}
	case name == "AuthenticAMD" || name == "HygonGenuine":
		extended, _, _, _ := id(0x80000000, 0)
		if extended >= 0x80000022 {
			if a, b, _, _ := id(0x80000022, 0); a&1 != 0 {
				return &Counters{General: int(b & 0xf), Width: 48}
			}
		}
		if extended >= 0x80000001 {
			if _, _, c, _ := id(0x80000001, 0); c>>23&1 != 0 {
				return &Counters{General: 6, Width: 48}
			}
		}
	}
	return nil // an older AMD has four, but a virtual one none, and neither says so
}

// tlbs describes the translation lookaside buffers.
func tlbs(id identification) []TLB {
	switch name, highest := vendor(id); {
	case name == "GenuineIntel" && highest >= 0x18:
		return intelTLBs(id)
	case name == "AuthenticAMD" || name == "HygonGenuine":
		if extended, _, _, _ := id(0x80000000, 0); extended >= 0x80000006 {
			return amdTLBs(id)
		}
	}
	return nil
}

var tlbKinds = [...]string{1: "data", 2: "instruction", 3: "unified", 4: "load", 5: "store"}

// intelTLBs reads leaf 0x18.
func intelTLBs(id identification) (all []TLB) {
	last, _, _, _ := id(0x18, 0)
	for sub := uint32(0); sub <= min(last, 64); sub++ {
		_, b, c, d := id(0x18, sub)
		kind := d & 0x1f
		if kind == 0 || int(kind) >= len(tlbKinds) {
			continue
		}
		t := TLB{Level: int(d >> 5 & 7), Kind: tlbKinds[kind], Ways: int(b >> 16), Entries: int(b>>16) * int(c)}
		if d>>8&1 != 0 {
			t.Ways = 0
		}
		for i, page := range []string{"4K", "2M", "4M", "1G"} {
			if b>>i&1 != 0 {
				t.Pages = append(t.Pages, page)
			}
		}
		if t.Entries > 0 {
			all = append(all, t)
		}
	}
	return all
}

// amdTLBs reads leaves 0x80000005 and 0x80000006: entries and ways for pages of 4 KB and of 2 MB.
func amdTLBs(id identification) (all []TLB) {
	add := func(level int, kind, page string, entries, ways int) {
		if entries > 0 && ways > 0 {
			all = append(all, TLB{Level: level, Kind: kind, Pages: []string{page}, Entries: entries, Ways: ways})
		}
	}
	large, small, _, _ := id(0x80000005, 0)
	large2, small2, _, _ := id(0x80000006, 0)
	for _, p := range []struct {
		page string
		l1   uint32
		l2   uint32
	}{{"4K", small, small2}, {"2M", large, large2}} {
		add(1, "data", p.page, int(p.l1>>16&0xff), int(p.l1>>24))
		add(1, "instruction", p.page, int(p.l1&0xff), int(p.l1>>8&0xff))
		add(2, "data", p.page, int(p.l2>>16&0xfff), amdWays[p.l2>>28])
		add(2, "instruction", p.page, int(p.l2&0xfff), amdWays[p.l2>>12&0xf])
	}
	for i := range all {
		if all[i].Ways == 0xff {
			all[i].Ways = 0 // fully associative
		}
	}
	return all
}

// amdWays decodes the associativity of the second level; 0 is none.
var amdWays = [16]int{1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 8: 16, 10: 32, 11: 48, 12: 64, 13: 96, 14: 128, 15: 0xff}
