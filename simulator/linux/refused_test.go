//go:build linux

package linux

import (
	"fmt"
	"os"
	"regexp"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table of the documentation has every system call that is refused, and its answer, and no other.
func TestRefusedCalls(t *testing.T) {
	text, err := os.ReadFile("../../docs/simulator.md")
	require.NoError(t, err)
	documented := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^\| (\d+) \| (\w+) \| (E\w+) \| .+ \|$`).FindAllStringSubmatch(string(text), -1) {
		documented[row[1]+" "+row[2]] = row[3]
	}
	table := map[string]string{}
	for number, r := range refused {
		require.Nil(t, calls[number], "%s is both supported and refused", r.name)
		table[fmt.Sprint(number, " ", r.name)] = map[errno]string{syscall.ENOSYS: "ENOSYS", syscall.EINVAL: "EINVAL", syscall.EPERM: "EPERM"}[r.answer]
	}
	require.Equal(t, table, documented)
}
