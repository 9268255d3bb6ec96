package score

import (
	"fmt"
	"io"

	"tracerec/internal/readable"
)

// Text writes a score for people, with so many rows.
func (s *Score) Text(w io.Writer, top int) error {
	cost, bytes := s.Kept()
	filtered := 0
	for _, r := range s.Regions {
		if r.Filtered {
			filtered++
		}
	}
	fmt.Fprintf(w, "Archive %s for %s: %s/s, %s in an hour of the same.\n", readable.Bytes(s.Bytes), readable.Duration(s.Span),
		readable.Bytes(s.PerSecond(s.Bytes)), readable.Bytes(s.PerSecond(s.Bytes)*3600))
	fmt.Fprintf(w, "Recording cost the program %s, %s of its goroutines' time.\n", readable.Duration(s.Cost), share(s.Cost, s.Time))
	if filtered > 0 {
		fmt.Fprintf(w, "Without the %s marked +: %s/s, %s in an hour; cost %s.\n", readable.Plural(filtered, "region"), readable.Bytes(s.PerSecond(bytes)),
			readable.Bytes(s.PerSecond(bytes)*3600), readable.Duration(cost))
	} else {
		fmt.Fprintln(w, "No region costs more than it tells.")
	}
	for _, m := range s.Warnings {
		for _, line := range readable.Wrap(m, 80) {
			fmt.Fprintln(w, line)
		}
	}
	fmt.Fprintln(w)
	rows := [][]string{{"", "visits", "time", "time/visit", "cost", "of cost", "archive", "region"}}
	rows = append(rows, []string{"", "", readable.Duration(s.Time), "", readable.Duration(s.Cost), share(s.Cost, s.Cost), readable.Bytes(s.Bytes), "(all)"},
		[]string{"", "", "", "", readable.Duration(s.OtherCost), share(s.OtherCost, s.Cost), readable.Bytes(s.OtherBytes), "(operations and goroutines)"})
	for _, r := range s.Regions[:min(top, len(s.Regions))] {
		flag := ""
		if r.Filtered {
			flag = "+"
		}
		rows = append(rows, []string{flag, readable.Grouped(r.Visits, 0), readable.Duration(r.Time), readable.Duration(r.Time / max(r.Visits, 1)),
			readable.Duration(r.Cost), share(r.Cost, s.Cost), readable.Bytes(r.Bytes), readable.Clean(readable.Elide(r.Name, 40))})
	}
	if err := readable.Table(w, rows, "lrrrrrr-"); err != nil {
		return err
	}
	if more := len(s.Regions) - top; more > 0 {
		fmt.Fprintf(w, "… and %s (--top %d shows all)\n", readable.Plural(more, "more region"), len(s.Regions))
	}
	return nil
}

func share(part, of int64) string {
	if of <= 0 {
		return "–"
	}
	return readable.Percent(100 * float64(part) / float64(of))
}
