package command

import (
	"errors"
	"strconv"
	"strings"
)

// Percent is a flag that takes a number of per cent, with or without the sign.
type Percent float64

// String writes the number as it can be typed.
func (p *Percent) String() string { return strconv.FormatFloat(float64(*p), 'f', -1, 64) + "%" }

// Type is how a value is called in the description of a flag.
func (*Percent) Type() string { return "PERCENT" }

// Set accepts 0 to 100.
func (p *Percent) Set(s string) error {
	v, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64)
	if err != nil || !(v >= 0 && v <= 100) {
		return errors.New("not a number of per cent")
	}
	*p = Percent(v)
	return nil
}
