package shm

import (
	"fmt"
	"strconv"
	"strings"

	"tracerec/internal/clock"
	"tracerec/internal/size"
)

// Environment is the variable by which a recorder tells instrumented programs where and how to record.
const Environment = "TRACEREC"

// DefaultBuffer is the largest size of a buffer file unless the configuration says otherwise.
const DefaultBuffer = 512 << 20

// Config says where and how a process records.
//
// In the environment it is a comma-separated list of options, in any order:
//
//	dir=PATH        session directory, in which the process makes its buffer file (required)
//	buffer=SIZE     largest size of the buffer file, a number of bytes, or with K, M or G behind it
//	block           a full buffer makes the program wait for the recorder, instead of losing events
//	counters=A+B    event set that is read with every region: names, or how they are counted (counters/sample.Spec)
//	recorder=PID    process of the recorder; when it has ended, a full buffer no longer makes the program wait
//	nostates        the scheduler of the runtime is not asked what it does with goroutines
//	window          record only while the file OnFile is in the session directory
//	frequency=N     ticks per second of the processor's counter, as the recorder has measured them
//	portable        find goroutines by their printed id and stamp by the system's monotonic clock
//
// In PATH and in the names of counters, %, comma and plus are written %25, %2C and %2B.
type Config struct {
	Dir      string
	Buffer   int64 // bytes; 0 is DefaultBuffer
	Block    bool
	Counters []string
	Recorder int // process id, 0 unknown
	NoStates bool
	Window   bool
	// Frequency is that of the processor's counter in ticks per second, 0 unknown.
	Frequency uint64
	Portable  bool
}

// FrequencyOf returns the ticks per second of a clock, which it measures if nobody has.
func (c *Config) FrequencyOf(k clock.Kind) uint64 {
	if k == clock.Monotonic || c.Frequency == 0 {
		return clock.Frequency(k)
	}
	return c.Frequency
}

// OnFile is the name of the file in a session directory that switches recordings with a window on.
const OnFile = "on"

var (
	escape   = strings.NewReplacer("%", "%25", ",", "%2C", "+", "%2B")
	unescape = strings.NewReplacer("%25", "%", "%2C", ",", "%2B", "+")
)

// String is the inverse of ParseConfig.
func (c Config) String() string {
	options := []string{"dir=" + escape.Replace(c.Dir)}
	if c.Buffer != 0 {
		options = append(options, "buffer="+strconv.FormatInt(c.Buffer, 10))
	}
	if c.Block {
		options = append(options, "block")
	}
	if len(c.Counters) > 0 {
		names := make([]string, len(c.Counters))
		for i, n := range c.Counters {
			names[i] = escape.Replace(n)
		}
		options = append(options, "counters="+strings.Join(names, "+"))
	}
	if c.Recorder != 0 {
		options = append(options, "recorder="+strconv.Itoa(c.Recorder))
	}
	if c.NoStates {
		options = append(options, "nostates")
	}
	if c.Window {
		options = append(options, "window")
	}
	if c.Frequency != 0 {
		options = append(options, "frequency="+strconv.FormatUint(c.Frequency, 10))
	}
	if c.Portable {
		options = append(options, "portable")
	}
	return strings.Join(options, ",")
}

// ParseConfig reads the value of the environment variable. Unknown options are errors.
func ParseConfig(text string) (Config, error) {
	var c Config
	for _, option := range strings.Split(text, ",") {
		key, value, _ := strings.Cut(option, "=")
		var err error
		switch key {
		case "dir":
			c.Dir = unescape.Replace(value)
		case "buffer":
			err = (*size.Bytes)(&c.Buffer).Set(value)
		case "block":
			c.Block = true
		case "counters":
			for _, n := range strings.Split(value, "+") {
				c.Counters = append(c.Counters, unescape.Replace(n))
			}
		case "recorder":
			c.Recorder, err = strconv.Atoi(value)
		case "nostates":
			c.NoStates = true
		case "window":
			c.Window = true
		case "frequency":
			c.Frequency, err = strconv.ParseUint(value, 10, 64)
		case "portable":
			c.Portable = true
		default:
			err = fmt.Errorf("unknown option %q", option)
		}
		if err != nil {
			return Config{}, fmt.Errorf("%s: %w", Environment, err)
		}
	}
	if c.Dir == "" {
		return Config{}, fmt.Errorf("%s: no session directory in %q", Environment, text)
	}
	return c, nil
}
