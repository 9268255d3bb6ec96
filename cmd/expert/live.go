package main

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"tracerec/internal/size"
	"tracerec/report/inputs"
)

// addLive adds the flags that say how a trace is taken from a program whose address is the input.
func addLive(cmd *cobra.Command) {
	var seconds seconds
	most := size.Bytes(1 << 30)
	flags := cmd.Flags()
	flags.Var(&seconds, "seconds", "how long the program at an address writes its trace (default 5)")
	flags.Duration("timeout", 30*time.Second, "most `time` beyond that; what came until then is used")
	flags.Var(&most, "max-size", "most bytes of a trace from an address")
	flags.String("save", "", "keep the trace from an address in this `FILE`")
}

// takeLive obeys these flags.
func takeLive(cmd *cobra.Command) (err error) {
	flags := cmd.Flags()
	if flags.Lookup("seconds") == nil {
		return nil
	}
	c := inputs.Capture{Seconds: float64(*flags.Lookup("seconds").Value.(*seconds)), Most: int64(*flags.Lookup("max-size").Value.(*size.Bytes))}
	if c.Extra, err = flags.GetDuration("timeout"); err != nil {
		return err
	}
	c.Save, err = flags.GetString("save")
	inputs.Take(c)
	return err
}

// seconds is a flag that takes a positive number, not necessarily whole.
type seconds float64

func (s *seconds) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*s), 'g', -1, 64)
}
func (*seconds) Type() string { return "N" }

func (s *seconds) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return errors.New("not a positive number of seconds")
	}
	*s = seconds(v)
	return nil
}
