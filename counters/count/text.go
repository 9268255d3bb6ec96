package count

import (
	"fmt"
	"io"
	"strings"

	"tracerec/internal/readable"
)

// Text writes the result as a table of 80 columns.
func (t *Tally) Text(w io.Writer) error {
	var out strings.Builder
	out.WriteString("\n" + readable.Block("", t.title(), readable.Columns))
	before := "\n"
	for _, e := range t.Events {
		if e.Counts == nil {
			continue
		}
		label := fmt.Sprintf("%20s  %-24s ", e.amount(), e.Name)
		line := readable.Block(label, t.remark(e), readable.Columns)
		if line == "" {
			line = strings.TrimRight(label, " ") + "\n"
		}
		out.WriteString(before + line)
		before = ""
	}
	t.writeMissing(&out)
	t.writeTimes(&out)
	_, err := io.WriteString(w, out.String())
	return err
}

// title says what was counted.
func (t *Tally) title() string {
	what := "counts"
	if t.Runs > 1 {
		what = fmt.Sprintf("means of %d runs", t.Runs)
	}
	command := strings.Join(t.Command, " ")
	switch {
	case t.PID > 0 && command != "":
		return fmt.Sprintf("%s of process %d while %s ran", what, t.PID, command)
	case t.PID > 0:
		return fmt.Sprintf("%s of process %d", what, t.PID)
	case t.CPU != nil && command != "":
		return fmt.Sprintf("%s of processor %d while %s ran", what, *t.CPU, command)
	case t.CPU != nil:
		return fmt.Sprintf("%s of processor %d", what, *t.CPU)
	}
	return what + " of " + command
}

// amount is the mean count with its unit: times in ms.
func (e *Event) amount() string {
	if e.Unit == "ns" {
		return readable.Grouped(int64(e.mean()/1e4+0.5), 2) + " ms"
	}
	return readable.Grouped(int64(e.mean()+0.5), 0)
}

// remark is what a count means beside others, and how far it can be trusted.
func (t *Tally) remark(e Event) string {
	var parts []string
	if text := t.rate(e); text != "" {
		parts = append(parts, text)
	}
	if t.Runs > 1 && e.mean() != 0 {
		parts = append(parts, "± "+readable.Percent(100*e.Spread/e.mean()))
	}
	if e.Share < 0.9995 {
		parts = append(parts, fmt.Sprintf("estimate: counted %s of the time", readable.RoughPercent(e.Share)))
	}
	return strings.Join(parts, "; ")
}

// rate relates a count to another one or to the time.
func (t *Tally) rate(e Event) string {
	of := func(name string) float64 {
		for _, other := range t.Events {
			if other.Name == name && other.Counts != nil {
				return other.mean()
			}
		}
		return 0
	}
	real, _ := meanAndSpread(t.Real)
	for _, r := range []struct{ name, base, whole string }{
		{"instructions", "cycles", ""}, {"PAPI_TOT_INS", "PAPI_TOT_CYC", ""},
		{"branch-misses", "branches", "branches"}, {"cache-misses", "cache-references", "references"},
	} {
		switch base := of(r.base); {
		case e.Name != r.name || base <= 0:
		case r.whole != "":
			return readable.Percent(100*e.mean()/base) + " of " + r.whole
		default:
			return fmt.Sprintf("%.2f per cycle", e.mean()/base)
		}
	}
	switch {
	case real == 0 || e.Unit == "bytes":
		return ""
	case e.Unit == "ns":
		return fmt.Sprintf("%.2f processors", e.mean()/real)
	case e.mean() == 0:
		return ""
	}
	if on := of("task-clock"); on > 0 {
		return readable.Short(e.mean()/on*1e9) + "/s of task-clock"
	}
	return readable.Short(e.mean()/real*1e9) + "/s"
}

// writeMissing lists what was not counted, by reason.
func (t *Tally) writeMissing(out *strings.Builder) {
	var by readable.Groups[string]
	for _, e := range t.Events {
		if e.Counts == nil {
			by.Add(e.Why, e.Name)
		}
	}
	for _, why := range by.Order {
		out.WriteString("\n" + readable.Block("  ", "not counted: "+strings.Join(by.Names[why], ", ")+": "+why, readable.Columns-2))
	}
}

// writeTimes writes how long it took.
func (t *Tally) writeTimes(out *strings.Builder) {
	seconds := func(ns []int64) string {
		mean, _ := meanAndSpread(ns)
		return readable.Quantity(mean/1e9, "sec")
	}
	fmt.Fprintf(out, "\n  %s real", seconds(t.Real))
	if _, spread := meanAndSpread(t.Real); spread > 0 {
		fmt.Fprintf(out, " (± %s)", readable.Quantity(spread, "ns"))
	}
	if t.User != nil {
		fmt.Fprintf(out, ", %s user, %s system", seconds(t.User), seconds(t.System))
	}
	if t.Memory > 0 {
		fmt.Fprintf(out, ", %s resident at most", readable.Bytes(t.Memory))
	}
	out.WriteString("\n")
	if t.UserOnly {
		out.WriteString("  what the kernel did for it is not counted: the system does not permit it\n")
	}
	if t.Status != 0 {
		fmt.Fprintf(out, "  exit status %d\n", t.Status)
	}
}
