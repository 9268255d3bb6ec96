package otf2

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var all = flag.Bool("all", false, "compare the largest archives, too, with what otf2-print prints of them")

// archives returns the anchor files of other people's archives, which are kept beside the project.
func archives(t testing.TB) []string {
	found, err := filepath.Glob("../../../shared/data/otf2/*/*/traces.otf2")
	require.NoError(t, err)
	more, err := filepath.Glob("../../../shared/data/otf2/*/traces.otf2")
	require.NoError(t, err)
	if found = append(found, more...); len(found) == 0 {
		t.Skip("no archives of other people in ../shared/data/otf2")
	}
	return found
}

// called is how tests call an archive.
func called(name string) string {
	name, _ = filepath.Rel("../../../shared/data/otf2", filepath.Dir(name))
	return name
}

// readAll hands every event of an archive to use, location by location.
func readAll(t testing.TB, a *Archive, use func(l *Location, e *Event)) {
	r := a.NewReader()
	defer r.Close()
	for _, l := range a.Locations {
		chunks, problems := a.Chunks(l)
		require.Empty(t, problems)
		next := uint64(1)
		for _, c := range chunks {
			require.Equal(t, next, c.First, "%v", l)
			require.NoError(t, r.Open(c))
			for r.Next() {
				use(l, &r.Event)
				next++
			}
			require.NoError(t, r.Err())
			require.Equal(t, c.First+c.Events, next, "%v", l)
		}
		require.Equal(t, l.Events, next-1, "events of %v", l)
	}
}

// TestCounts: archives of other people are read to the end; each location has as many events as its definition says, and so does each chunk.
func TestCounts(t *testing.T) {
	for _, name := range archives(t) {
		t.Run(called(name), func(t *testing.T) {
			a, err := Open(name)
			require.NoError(t, err)
			require.Empty(t, a.Problems())
			require.Len(t, a.Locations, int(a.Anchor.Locations))
			require.Len(t, a.Records(), int(a.Anchor.Definitions))
			events := 0
			readAll(t, a, func(l *Location, e *Event) {
				events++
				// The length was computed from times that were corrected in another way, so that it may differ by a tick.
				require.True(t, e.Time >= a.Clock.Offset && e.Time <= a.Clock.Offset+a.Clock.Length+1, "%v: %s at %d", l, e.Spec.Name, e.Time)
			})
			require.Positive(t, events)
			t.Logf("%d definitions, %d locations, %d events", len(a.Records()), len(a.Locations), events)
		})
	}
}

// TestPrinted: every event of other people's archives is, with its time, values and attributes, what otf2-print of OTF2 itself prints.
func TestPrinted(t *testing.T) {
	program, err := exec.LookPath("otf2-print")
	if err != nil {
		t.Skip("no otf2-print; it is in Debian's otf2-tools")
	}
	for _, name := range archives(t) {
		t.Run(called(name), func(t *testing.T) {
			a, err := Open(name)
			require.NoError(t, err)
			if n := events(a); n > 3000 && testing.Short() || n > 100000 && !*all {
				t.Skip("large: see -args -all")
			}
			compareWithPrint(t, program, a)
		})
	}
}

// compareWithPrint compares all events of an archive with what otf2-print prints.
func compareWithPrint(t *testing.T, program string, a *Archive) {
	cmd := exec.Command(program, a.Name)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	want := printed(t, out)
	require.NoError(t, cmd.Wait())
	values := 0
	readAll(t, a, func(l *Location, e *Event) {
		got := normal(a, e)
		list := want[l.ID]
		require.NotEmpty(t, list, "location %d: %s", l.ID, got)
		if list[0] != got {
			require.Equal(t, list[0], got, "location %d", l.ID)
		}
		want[l.ID] = list[1:]
		values += len(e.Values) + len(e.Attributes)
	})
	for l, rest := range want {
		require.Empty(t, rest, "location %d", l)
	}
	t.Logf("%d values agree", values)
}

var event = regexp.MustCompile(`^([A-Z_0-9]+) +(\d+) +(\d+)(?: +(.*))?$`)

// printed reads what otf2-print prints: the events of each location, as normal has them.
func printed(t *testing.T, out io.Reader) map[uint64][]string {
	lists := map[uint64][]string{}
	var last uint64
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if rest, more := strings.CutPrefix(strings.TrimSpace(lines.Text()), "ADDITIONAL ATTRIBUTES: "); more {
			list := lists[last]
			for _, x := range parts(rest) {
				list[len(list)-1] += " +" + typed(x)
			}
			continue
		}
		m := event.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		location, err := strconv.ParseUint(m[2], 10, 64)
		require.NoError(t, err)
		text := m[1] + " " + m[3]
		for _, x := range parts(m[4]) {
			text += " " + plain(x)
		}
		last = location
		lists[last] = append(lists[last], text)
	}
	require.NoError(t, lines.Err())
	return lists
}

// parts splits a list at its commas.
func parts(list string) (parts []string) {
	depth, quoted, from := 0, false, 0
	for i, c := range list {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(list[from:i]))
			from = i + 1
		}
	}
	if rest := strings.TrimSpace(list[from:]); rest != "" {
		parts = append(parts, rest)
	}
	return parts
}

var (
	number     = regexp.MustCompile(`<(\d+)>$`)
	rank       = regexp.MustCompile(`^(\d+) \(`)
	counted    = regexp.MustCompile(`^(\d+) Arguments?(: .*)?$`)
	sampled    = regexp.MustCompile(`^(\d+) Values?: (.*)$`)
	typedValue = regexp.MustCompile(`^\(?(?:"?.*"? <(\d+)>|INVALID); (\w+); (.*?)\)?$`)
)

// plain returns the value of "key: value": the number of a definition, a number, or a word; - for none.
func plain(x string) string {
	if m := counted.FindStringSubmatch(x); m != nil {
		if m[2] != "" {
			return m[1] + " " + plain(m[2])
		}
		return m[1]
	}
	if m := sampled.FindStringSubmatch(x); m != nil {
		return m[1] + " " + typed(m[2])
	}
	if m := typedValue.FindStringSubmatch(x); m != nil {
		return typed(x)
	}
	if _, value, ok := strings.Cut(x, ": "); ok {
		x = value
	}
	if m := number.FindStringSubmatch(x); m != nil {
		return m[1]
	}
	if m := rank.FindStringSubmatch(x); m != nil {
		return m[1]
	}
	if x == "UNDEFINED" || x == "NONE" {
		return "-"
	}
	return strings.Trim(x, "{}")
}

// typed returns type and value of ("name" <number>; type; value).
func typed(x string) string {
	m := typedValue.FindStringSubmatch(x)
	if m == nil {
		return "?" + x
	}
	if n := number.FindStringSubmatch(m[3]); n != nil {
		return m[2] + " " + n[1]
	}
	return m[2] + " " + m[3]
}

var kinds = regexp.MustCompile(`[A-Z]`)

// normal returns an event as printed has it.
func normal(a *Archive, e *Event) string {
	kind := strings.ToUpper(strings.TrimPrefix(kinds.ReplaceAllString(e.Spec.Name, "_$0"), "_"))
	kind = strings.Replace(strings.Replace(kind, "PARAMETER_UNSIGNED_INT", "PARAMETER_UINT64", 1), "PARAMETER_INT", "PARAMETER_INT64", 1)
	kind = strings.Replace(kind, "IO_CHANGE_STATUS_FLAGS", "IO_CHANGE_FLAGS", 1)
	text := fmt.Sprint(kind, " ", e.Time)
	fields := append(append([]Field(nil), e.Spec.Head...), e.Spec.Each...)
	for i, v := range e.Values {
		f := &fields[min(i, len(fields)-1)]
		if i >= len(e.Spec.Head) {
			f = &e.Spec.Each[(i-len(e.Spec.Head))%len(e.Spec.Each)]
		}
		text += " "
		switch {
		case f.Name == "metricValues" && e.Values[i-1] == typeDouble:
			text += fmt.Sprintf("%f", math.Float64frombits(v))
		case f.Type == Signed && v == 1<<63, f.Type == Number && v == f.undefined():
			text += "-"
		case f.Type == Signed:
			text += strconv.FormatInt(int64(v), 10)
		case f.Refers == Paradigms && a.Find(Paradigms, v) != nil:
			text += strconv.FormatUint(v, 10)
		case f.Flags:
			text += string(appendFlags(nil, f.Words, v))
		case f.Words != nil:
			text += f.Words[v]
		default:
			text += strconv.FormatUint(v, 10)
		}
	}
	if e.Spec.Name == "RmaCollectiveEnd" { // printed in another order
		w := strings.Fields(text)
		w[3], w[4] = w[4], w[3]
		text = strings.Join(w, " ")
	}
	for _, x := range e.Attributes {
		text += fmt.Sprintf(" +%s %d", enumerations()["Type"][x.Type], x.Value)
	}
	return text
}
