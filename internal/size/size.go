// Package size parses and formats numbers of bytes as people write them.
package size

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Bytes is a number of bytes on the command line: 1048576, 512K, 64M, 1G.
type Bytes int64

const units = "KMGT"

// String prints the number with the largest unit that divides it.
func (s *Bytes) String() string {
	n, unit := int64(*s), ""
	for i := 0; i < len(units) && n != 0 && n%1024 == 0; i++ {
		n, unit = n/1024, units[i:i+1]
	}
	return strconv.FormatInt(n, 10) + unit
}

// Set reads a number like 1048576, 512K, 64M or 1GiB, which must be positive.
func (s *Bytes) Set(text string) error {
	number := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(text), "B"), "I")
	shift := 0
	if n := len(number); n > 0 {
		if i := strings.IndexByte(units, number[n-1]); i >= 0 {
			number, shift = number[:n-1], 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64>>shift {
		return errors.New("not a size like 65536, 512K, 64M or 1G")
	}
	*s = Bytes(n << shift)
	return nil
}

// Type is what a flag of it is called in usage texts.
func (*Bytes) Type() string { return "size" }
