package analyzer_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report"
)

// pools are two programs of pool beside each other, with so many channels.
func pools(channels int) string {
	parts := strings.SplitAfter(pool(998), "location ")
	text := strings.TrimSuffix(parts[0], "location ")
	if channels == 2 {
		text += "channel jobs2 @pool.go:3\n"
	}
	text += "location main\n 0 enter main\n 0 create t1 @m.go:1\n 0 create t2 @m.go:1\n 4020 exit\n"
	for _, test := range []string{"1", "2"} {
		for _, part := range parts[1:] {
			part = strings.TrimSuffix(part, "location ")
			part = strings.Replace(part, "main\n 0 enter main", "t"+test+"\n 0 begin test by main\n 0 enter run", 1)
			part = strings.ReplaceAll(strings.ReplaceAll(part, "by main\n 3", "by t"+test+"\n 3"), "by main\n 4", "by t"+test+"\n 4")
			if test == "2" {
				part = strings.NewReplacer("create w1", "create w3", "create w2", "create w4", "w1\n", "w3\n", "w2\n", "w4\n").Replace(part)
				if channels == 2 {
					part = strings.ReplaceAll(part, " jobs ", " jobs2 ")
				}
			}
			text += "location " + part
		}
	}
	return text
}

// TestPoolsOfOneLine: goroutines that begin at one line are one pool if they take their work from one channel, and not if each two of them have a channel, and a sender, of their own.
func TestPoolsOfOneLine(t *testing.T) {
	one := analyzeText(t, pools(1)).Findings[0]
	require.Equal(t, report.Busy{Workers: 4}, one.Busy)
	require.Contains(t, one.Advice, "All who take the work were busy")
	for _, f := range analyzeText(t, pools(2)).Findings {
		require.Equal(t, report.Busy{}, f.Busy)
		require.Empty(t, f.Advice)
	}
}

// TestListenersAreNoPool: two goroutines bring what they read from the network, or what they compute. In the network they may have had nothing to bring, so nobody knows whether more of them would help.
func TestListenersAreNoPool(t *testing.T) {
	text := "channel packets cap 1 @a.go:3\nlocation main\n 0 enter main\n 0 create w0 @a.go:1\n 0 create w1 @a.go:1\n"
	for i := range 8 {
		text += fmt.Sprintf(" %d recv packets @a.go:9\n %d blocked\n %d leave\n", 3+100*i, 3+100*i, 101+100*i)
	}
	text += " 810 exit\n"
	for w := range 2 {
		text += fmt.Sprintf("location w%d\n 0 begin listen by main\n", w)
		for i := range 4 {
			at := 100 * (2*i + w + 1)
			text += fmt.Sprintf(" %d network @a.go:20\n %d blocked\n %d leave\n %d send packets @a.go:21\n %d leave\n", max(0, at-195), max(0, at-195), at-1, at, at)
		}
		text += " 820 end\n"
	}
	for _, f := range analyzeText(t, text).Findings {
		require.Equal(t, report.Busy{}, f.Busy)
	}
	asked := regexp.MustCompile(`(?s)location w(\d)\n.*?end\n`).ReplaceAllStringFunc(text, func(w string) string {
		name := w[len("location w"):len("location w0")]
		reader := "location r" + name + "\n 0 begin readLoop by main @transport.go:1(net/http.(*persistConn).readLoop)\n"
		for _, end := range regexp.MustCompile(`(\d+) leave\n (\d+) send`).FindAllStringSubmatch(w, -1) {
			reader += fmt.Sprintf(" %[1]s send answer%[2]s @t.go:1\n %[1]s leave\n", end[1], name)
		}
		return strings.ReplaceAll(w, "network @", "recv answer"+name+" @") + reader + " 815 end\n"
	})
	asked = "channel answer0 cap 0\nchannel answer1 cap 0\n" + strings.Replace(asked, " 0 create w0", " 0 create r0 @a.go:1\n 0 create r1 @a.go:1\n 0 create w0", 1)
	x := analyzeText(t, asked)
	require.Greater(t, x.Total(x.MetricIndex("late_sender")), int64(2000), "they wait for their readers")
	for _, f := range x.Findings {
		require.Equal(t, report.Busy{}, f.Busy)
	}
	text = strings.ReplaceAll(text, "network @a.go:20", "enter parse @a.go:20")
	text = regexp.MustCompile(`(enter parse @a.go:20\n) \d+ blocked\n( \d+) leave`).ReplaceAllString(text, "$1$2 exit")
	f := analyzeText(t, text).Findings[0]
	require.Equal(t, 2, f.Busy.Workers)
}
