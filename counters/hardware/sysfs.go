package hardware

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// source is the root of a file system with proc and sys.
type source struct{ root fs.FS }

// text returns a file of one line, empty if there is none.
func (s source) text(file string) string {
	data, err := fs.ReadFile(s.root, file)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// number returns a file of one number.
func (s source) number(file string) (int64, bool) {
	v, err := strconv.ParseInt(s.text(file), 10, 64)
	return v, err == nil
}

// list returns the names in a directory, sorted.
func (s source) list(dir string) (names []string) {
	entries, _ := fs.ReadDir(s.root, dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// numbered returns the numbers of the directories PREFIX0, PREFIX1 …, in order.
func (s source) numbered(dir, prefix string) (numbers []int) {
	for _, name := range s.list(dir) {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			if n, err := strconv.Atoi(rest); err == nil {
				numbers = append(numbers, n)
			}
		}
	}
	slices.Sort(numbers)
	return numbers
}

const cpus = "sys/devices/system/cpu"

// topology counts sockets, cores and hardware threads that are on line.
func (s source) topology() (sockets, cores, threads int) {
	seenSockets, seenCores := map[int64]bool{}, map[[2]int64]bool{}
	for _, n := range s.numbered(cpus, "cpu") {
		dir := path.Join(cpus, "cpu"+strconv.Itoa(n))
		if online, told := s.number(path.Join(dir, "online")); told && online == 0 {
			continue
		}
		threads++
		socket, ok := s.number(path.Join(dir, "topology/physical_package_id"))
		core, ok2 := s.number(path.Join(dir, "topology/core_id"))
		if ok && ok2 {
			seenSockets[socket], seenCores[[2]int64{socket, core}] = true, true
		}
	}
	return len(seenSockets), len(seenCores), threads
}

// caches describes those of processor 0.
func (s source) caches() (all []Cache) {
	dir := path.Join(cpus, "cpu0/cache")
	for _, n := range s.numbered(dir, "index") {
		at := path.Join(dir, "index"+strconv.Itoa(n))
		get := func(name string) int {
			v, _ := s.number(path.Join(at, name))
			return int(v)
		}
		c := Cache{
			Level: get("level"), Kind: strings.ToLower(s.text(path.Join(at, "type"))), Size: size(s.text(path.Join(at, "size"))),
			Line: get("coherency_line_size"), Ways: get("ways_of_associativity"), Sets: get("number_of_sets"),
			Shared: length(s.text(path.Join(at, "shared_cpu_list"))),
		}
		if c.Level > 0 && c.Size > 0 {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b Cache) int { return a.Level - b.Level })
	return all
}

// size reads 48K, 2M or a number of bytes; 0 if it is neither.
func size(text string) int64 {
	factor := int64(1)
	switch {
	case strings.HasSuffix(text, "K"):
		factor = 1 << 10
	case strings.HasSuffix(text, "M"):
		factor = 1 << 20
	case strings.HasSuffix(text, "G"):
		factor = 1 << 30
	}
	v, err := strconv.ParseInt(strings.TrimRight(text, "KMG"), 10, 32)
	if err != nil || v < 0 {
		return 0
	}
	return v * factor
}

// length counts the processors of a list such as 0-3,8.
func length(list string) (n int) {
	for part := range strings.SplitSeq(list, ",") {
		low, high, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			high = low
		}
		a, err := strconv.Atoi(low)
		b, err2 := strconv.Atoi(high)
		if err == nil && err2 == nil && 0 <= a && a <= b && b < 1<<20 {
			n += b - a + 1
		}
	}
	return n
}

// memory returns how many bytes there are.
func (s source) memory() int64 { return kilobytes(s.text("proc/meminfo"), "MemTotal:") }

// kilobytes finds a line such as "MemTotal:  2048 kB" and returns bytes.
func kilobytes(text, label string) int64 {
	for line := range strings.Lines(text) {
		if _, rest, ok := strings.Cut(line, label); ok {
			if f := strings.Fields(rest); len(f) > 0 {
				v, _ := strconv.ParseInt(f[0], 10, 50)
				return v << 10
			}
		}
	}
	return 0
}

// nodes describes the parts of memory.
func (s source) nodes() (all []Node) {
	const dir = "sys/devices/system/node"
	for _, n := range s.numbered(dir, "node") {
		at := path.Join(dir, "node"+strconv.Itoa(n))
		all = append(all, Node{n, s.text(path.Join(at, "cpulist")), kilobytes(s.text(path.Join(at, "meminfo")), "MemTotal:")})
	}
	return all
}

// clock reads the rates of processor 0.
func (s source) clock(info func() string) (c Clock) {
	dir := path.Join(cpus, "cpu0/cpufreq")
	c.Now, _ = s.number(path.Join(dir, "scaling_cur_freq"))
	c.Min, _ = s.number(path.Join(dir, "cpuinfo_min_freq"))
	c.Max, _ = s.number(path.Join(dir, "cpuinfo_max_freq"))
	c.Base, _ = s.number(path.Join(dir, "base_frequency"))
	if c.Now != 0 {
		return c
	}
	for line := range strings.Lines(info()) {
		if rest, ok := strings.CutPrefix(line, "cpu MHz"); ok && c.Now == 0 {
			mhz, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimLeft(rest, "\t :")), 64)
			if err == nil && mhz > 0 && mhz < 1e6 {
				c.Now = int64(mhz*1000 + 0.5)
			}
		}
	}
	return c
}
