package main

import (
	"time"

	"github.com/spf13/cobra"

	"tracerec/internal/size"
	"tracerec/report/inputs"
)

// addLive adds the flags that say how a trace is taken from a program whose address is the input.
func addLive(cmd *cobra.Command) {
	most := size.Bytes(1 << 30)
	flags := cmd.Flags()
	flags.Float64("seconds", inputs.DefaultSeconds, "`seconds` that an address is traced")
	flags.Duration("timeout", 30*time.Second, "most `time` beyond --seconds")
	flags.Var(&most, "max-size", "most bytes of a trace from an address")
	flags.String("save", "", "keep the trace from an address in this `FILE`")
}

// takeLive obeys these flags.
func takeLive(cmd *cobra.Command, named []string) error {
	flags := cmd.Flags()
	most := flags.Lookup("max-size")
	if most == nil {
		return nil
	}
	c := inputs.Capture{Most: int64(*most.Value.(*size.Bytes))}
	if flags.Changed("seconds") {
		c.Seconds, _ = flags.GetFloat64("seconds") // here and below: there are these flags
	}
	c.Extra, _ = flags.GetDuration("timeout")
	c.Save, _ = flags.GetString("save")
	for _, name := range []string{"save", "seconds", "timeout", "max-size"} {
		if flags.Changed(name) {
			c.Flags = append(c.Flags, name)
		}
	}
	for _, name := range []string{"baseline", "external", "output", "trace"} {
		if f := flags.Lookup(name); f != nil {
			named = append(named, f.Value.String())
		}
	}
	return inputs.Take(c, named...)
}
