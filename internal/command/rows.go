package command

import (
	"errors"
	"strconv"
)

// Rows is a flag that takes a positive number; what is too large for an int stands for all there is.
type Rows int

// String writes the number.
func (r *Rows) String() string { return strconv.Itoa(int(*r)) }

// Type is how a value is called in the description of a flag.
func (*Rows) Type() string { return "N" }

// Set accepts a positive number.
func (r *Rows) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil && !errors.Is(err, strconv.ErrRange) || n < 1 {
		return errors.New("not a number from 1 on")
	}
	*r = Rows(n)
	return nil
}
