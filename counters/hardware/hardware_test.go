package hardware

import (
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// registers is a processor that answers leaves from a table.
func registers(leaves map[[2]uint32][4]uint32) identification {
	return func(leaf, sub uint32) (a, b, c, d uint32) {
		r := leaves[[2]uint32{leaf, sub}]
		return r[0], r[1], r[2], r[3]
	}
}

var (
	intelName = [3]uint32{0x756e6547, 0x49656e69, 0x6c65746e} // Genu ineI ntel
	amdName   = [3]uint32{0x68747541, 0x69746e65, 0x444d4163}
)

func machine(files map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, text := range files {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

func TestServerOfTwoSockets(t *testing.T) {
	const cpu, node = "sys/devices/system/cpu/", "sys/devices/system/node/"
	files := map[string]string{
		"proc/sys/kernel/osrelease":           "6.1.0-test\n",
		"proc/sys/kernel/perf_event_paranoid": "-1\n",
		"proc/sys/kernel/nmi_watchdog":        "1\n",
		"proc/meminfo":                        "MemTotal:       2048 kB\nMemFree: 3 kB\n",
		cpu + "cpu0/cache/index2/level":       "2", cpu + "cpu0/cache/index2/type": "Unified", cpu + "cpu0/cache/index2/size": "2048K",
		cpu + "cpu0/cache/index2/coherency_line_size": "64", cpu + "cpu0/cache/index2/shared_cpu_list": "0,4",
		cpu + "cpu0/cache/index0/level": "1", cpu + "cpu0/cache/index0/type": "Data", cpu + "cpu0/cache/index0/size": "48K",
		cpu + "cpu0/cache/index0/coherency_line_size": "64", cpu + "cpu0/cache/index0/ways_of_associativity": "12",
		cpu + "cpu0/cache/index0/number_of_sets": "64", cpu + "cpu0/cache/index0/shared_cpu_list": "0,4",
		cpu + "cpu0/cpufreq/cpuinfo_max_freq": "3900000", cpu + "cpu0/cpufreq/base_frequency": "2100000",
		"proc/cpuinfo":         "processor\t: 0\ncpu MHz\t\t: 2100.001\n\nprocessor\t: 1\ncpu MHz\t\t: 9\n",
		node + "node0/cpulist": "0-1,4-5", node + "node0/meminfo": "Node 0 MemTotal:   1024 kB\n",
		node + "node1/cpulist": "2-3,6", node + "node1/meminfo": "Node 1 MemTotal:   1024 kB\n", node + "online": "0-1",
		"sys/bus/event_source/devices/cpu/type": "4", "sys/bus/event_source/devices/software/type": "1",
	}
	for i, place := range [][2]string{{"0", "0"}, {"0", "1"}, {"1", "0"}, {"1", "1"}, {"0", "0"}, {"0", "1"}, {"1", "0"}, {"1", "1"}} {
		dir := cpu + "cpu" + string(rune('0'+i))
		files[dir+"/topology/physical_package_id"], files[dir+"/topology/core_id"] = place[0], place[1]
	}
	files[cpu+"cpu7/online"] = "0"
	m := read(machine(files), nil)
	require.Equal(t, [3]int{2, 4, 7}, [3]int{m.Sockets, m.Cores, m.Threads})
	require.Equal(t, []Cache{
		{Level: 1, Kind: "data", Size: 48 << 10, Line: 64, Ways: 12, Sets: 64, Shared: 2},
		{Level: 2, Kind: "unified", Size: 2 << 20, Line: 64, Shared: 2},
	}, m.Caches)
	require.Equal(t, []Node{{0, "0-1,4-5", 1 << 20}, {1, "2-3,6", 1 << 20}}, m.Nodes)
	require.EqualValues(t, 2<<20, m.Memory)
	require.Equal(t, Clock{Now: 2100001, Max: 3900000, Base: 2100000}, m.Clock)
	require.Equal(t, -1, *m.Paranoid)
	require.True(t, m.Watchdog)
	require.Equal(t, "6.1.0-test", m.Kernel)
	require.Equal(t, &Counters{Unit: "cpu"}, m.Counters)
	require.Empty(t, m.Hypervisor)
}

func TestNothingToldIsAbsent(t *testing.T) {
	m := read(machine(nil), nil)
	require.Equal(t, Machine{}, m)
	m = read(machine(nil), registers(nil))
	require.Equal(t, Machine{}, m)
}

func TestIntel(t *testing.T) {
	id := registers(map[[2]uint32][4]uint32{
		{0, 0}:          {0x20, intelName[0], intelName[2], intelName[1]},
		{1, 0}:          {2: 1 << 31},
		{0x40000000, 0}: {0, 0x4b4d564b, 0x564b4d56, 0x4d},
		{0xa, 0}:        {5 | 8<<8 | 48<<16, 0, 0, 4},
		{0x18, 0}:       {2, 1 | 4<<16, 16, 4 | 1<<5},
		{0x18, 1}:       {0, 0xf | 16<<16, 1, 5 | 1<<5 | 1<<8},
		{0x18, 2}:       {0, 3 | 8<<16, 256, 3 | 2<<5},
	})
	m := read(machine(nil), id)
	require.Equal(t, "KVM", m.Hypervisor)
	require.Equal(t, &Counters{General: 8, Fixed: 4, Width: 48}, m.Counters)
	require.Equal(t, []TLB{
		{1, "load", []string{"4K"}, 64, 4}, {1, "store", []string{"4K", "2M", "4M", "1G"}, 16, 0}, {2, "unified", []string{"4K", "2M"}, 2048, 8},
	}, m.TLBs)
}

func TestAMD(t *testing.T) {
	leaves := map[[2]uint32][4]uint32{
		{0, 0}:          {0x10, amdName[0], amdName[2], amdName[1]},
		{0x80000000, 0}: {0x80000022},
		{0x80000022, 0}: {1, 6},
		{0x80000005, 0}: {0, 0xff48ff40},
		{0x80000006, 0}: {0, 0x6c006200},
	}
	require.Equal(t, &Counters{General: 6, Width: 48}, read(machine(nil), registers(leaves)).Counters)
	require.Equal(t, []TLB{
		{1, "data", []string{"4K"}, 72, 0}, {1, "instruction", []string{"4K"}, 64, 0},
		{2, "data", []string{"4K"}, 0xc00, 8}, {2, "instruction", []string{"4K"}, 0x200, 8},
	}, tlbs(registers(leaves)))
	leaves[[2]uint32{0x80000022, 0}] = [4]uint32{}
	require.Nil(t, counters(registers(leaves)))
	leaves[[2]uint32{0x80000001, 0}] = [4]uint32{2: 1 << 23}
	require.Equal(t, 6, counters(registers(leaves)).General)
}

func TestHere(t *testing.T) {
	m := Here()
	require.Positive(t, m.Threads)
	require.Positive(t, m.PageSize)
	if runtime.GOOS != "linux" {
		return
	}
	require.NotEmpty(t, m.Kernel)
	require.Positive(t, m.Memory)
	for _, c := range m.Caches {
		if c.Ways > 0 && c.Sets > 0 {
			require.EqualValues(t, c.Size, c.Line*c.Ways*c.Sets, "level %d", c.Level)
		}
	}
}

func FuzzSize(f *testing.F) {
	f.Add("48K", "0-3,8")
	f.Add("99999999999999M", "9-1,,x-")
	f.Fuzz(func(t *testing.T, a, b string) {
		require.GreaterOrEqual(t, size(a), int64(0))
		require.GreaterOrEqual(t, length(b), 0)
	})
}
