package perf

import (
	"debug/elf"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// watched is a watchpoint on a variable: its offset, length, access and modifiers are optional.
var watched = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^mem:(.*?)(\+(?:0x)?[0-9a-fA-F]+)?(/[0-9]+)?(:[a-z:]+)?$`)
})

// ownProgram is the running one.
const ownProgram = "/proc/self/exe"

// parseVariable encodes a watchpoint on a variable of the running program; watch is what follows "mem:", full the name for messages.
func parseVariable(full, watch string) (Encoded, error) {
	address, err := addressed("mem:"+watch, ownProgram)
	if err != nil {
		return Encoded{}, mistaken(full, "%v", err)
	}
	if address == "mem:"+watch {
		return Encoded{}, mistaken(full, "neither an address nor a variable")
	}
	return parseWatch(full, strings.TrimPrefix(address, "mem:"))
}

// Addressed returns the event of that name with the address of the program's variable in it, if it is a watchpoint on one:
// mem:main.counter/8:w. Other names come back as they are. The error names what is asked for.
func Addressed(name, program string) (string, error) {
	with, err := addressed(name, program)
	if err != nil {
		return "", fmt.Errorf("%s: %w", shown(name), err)
	}
	return with, nil
}

func addressed(name, program string) (string, error) {
	m := watched().FindStringSubmatch(name)
	if m == nil || m[1] == "" || strings.HasPrefix(m[1], "0x") {
		return name, nil
	}
	variable, offset, length, access := m[1], m[2], m[3], m[4]
	if err := watchable(length, access); err != nil {
		return "", err
	}
	if _, err := strconv.ParseUint(variable, 10, 64); err == nil {
		return name, nil
	}
	v, err := variableOf(program, variable)
	if err != nil {
		return "", err
	}
	from := uint64(0)
	if offset != "" {
		if from, err = strconv.ParseUint(offset[1:], 0, 32); err != nil {
			return "", fmt.Errorf("%q is not an offset", offset)
		}
	}
	if length == "" {
		for bytes := uint64(8); length == ""; bytes /= 2 {
			if v.size == 0 || bytes <= v.size {
				length = fmt.Sprintf("/%d", bytes)
			}
		}
	}
	address := v.address + from
	bytes, _ := strconv.ParseUint(length[1:], 10, 8)
	switch {
	case address%bytes != 0:
		return "", fmt.Errorf("its address 0x%x is not a multiple of the length, %d; watch fewer bytes", address, bytes)
	case v.size > 0 && from+bytes > v.size:
		return "", fmt.Errorf("%d bytes from byte %d on do not lie within %s, which has %d", bytes, from, shown(variable), v.size)
	}
	return fmt.Sprintf("mem:0x%x%s%s", address, length, access), nil
}

// watchable tells what is wrong with the length and the access of a watchpoint, each with the character before it, or absent.
func watchable(length, access string) error {
	if length != "" && !slices.Contains([]string{"/1", "/2", "/4", "/8"}, length) {
		return fmt.Errorf("the length must be 1, 2, 4 or 8 bytes, not %s", length[1:])
	}
	kinds, _, more := strings.Cut(strings.TrimPrefix(access, ":"), ":")
	if access == "" || !more && strings.Trim(kinds, "ukp") == "" {
		return nil // modifiers alone
	}
	switch kinds {
	case "w", "rw", "wr":
		return nil
	case "r":
		if runtime.GOARCH == "amd64" {
			return errors.New("r: x86 cannot watch reads alone; use rw, which counts reads and writes")
		}
		return nil
	case "x":
		return errors.New("x: a variable is not executed; the access must be w, r or rw")
	}
	return fmt.Errorf("the access must be w, r or rw, not %s", kinds)
}

// variable is where one is, and its size in bytes, 0 if that is not known.
type variable struct{ address, size uint64 }

// variableOf looks a variable up in the symbol table of a program.
func variableOf(program, name string) (variable, error) {
	table, err := variablesOf(program)
	if err != nil {
		return variable{}, err
	}
	v, ok := table[name]
	if !ok {
		if program == ownProgram {
			program = "this program"
		}
		return variable{}, fmt.Errorf("%s has no variable %s (name it with its package: main.counter)", program, shown(name))
	}
	return v, nil
}

// ownVariables are those of the running program.
var ownVariables = sync.OnceValues(func() (map[string]variable, error) { return readVariables(ownProgram) })

func variablesOf(program string) (map[string]variable, error) {
	if program == ownProgram {
		return ownVariables()
	}
	return readVariables(program)
}

func readVariables(program string) (map[string]variable, error) {
	f, err := elf.Open(program)
	if err != nil {
		return nil, fmt.Errorf("cannot read the symbols of %s: %w", program, err)
	}
	defer f.Close()
	if f.Type != elf.ET_EXEC {
		return nil, fmt.Errorf("%s is position-independent (PIE), so the address is unknown until it runs; build it with -buildmode=exe", program)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("%s has no symbol table; build it without -ldflags=-s", program)
	}
	table := map[string]variable{}
	for _, s := range slices.Backward(symbols) { // the first of a name
		if elf.ST_TYPE(s.Info) == elf.STT_OBJECT {
			table[s.Name] = variable{s.Value, s.Size}
		}
	}
	return table, nil
}
