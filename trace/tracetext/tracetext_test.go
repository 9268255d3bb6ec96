package tracetext

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace"
)

// everything uses each word of the language once.
const everything = `
channel ch cap 3 @make.go:1(main.f)
mutex m
rwmutex rw
waitgroup wg
cond c
once o
barrier b 2
metric depth unit items
counterset task-clock page-faults
warning "ends elsewhere" 2
exited 200000000001 3
location main
  0 enter main @m.go:1(main.main)
  1 create w1 @m.go:2 2 create @m.go:3
  10 send ch @a.go:10   12 blocked   30 leave
  31 send nil 32 blocked 33 leave panicked
  40 select @a.go:11 41 blocked 42 chose ch received 43 select 44 chose none
  45 select 46 chose ch sent 47 select 48 chose ch closed
  48 select 48 chose none 1024
  48 select 48 blocked timer 48 chose ch received 9
  48 send ch 48 passed 7 49 select 49 chose ch received 8
  50 wait wg 51 leave 52 add wg 3 53 done wg 54 done wg 2
  60 condwait c 61 blocked 62 leave 63 signal c @c.go:1 64 broadcast c @c.go:2
  70 once o @o.go:1 71 oncerun 72 leave
  80 barrier b 7 81 leave 82 sleep 83 leave
  90 sample depth -4
  91 counters 5 100 200
  92 exit 93 enter a 94 enter b 94 taskleft 7 1 94 taskleft 8 94 taskend 9 95 exit 1
  96 overhead 40 97 lost 5 0 98 end
location w1
  100 begin worker by main @w.go:3
  110 recv ch 111 leave closed 112 close ch
  120 lock m 121 leave failed 122 lock rw shared 123 leave
  124 unlock rw shared 125 lock m 126 leave 127 unlock m
  200000000000 end
process p2 parent main pid 17 start 20 cost 17500 recording 70 cpu 60 processors 2
args ./child "two words" -x
location other
  30 enter "quoted name" 40 exit
`

func format(t *testing.T, text string) string {
	a, err := Open("text", text)
	require.NoError(t, err)
	require.Empty(t, a.Problems())
	var out strings.Builder
	require.NoError(t, Format(a, &out))
	return out.String()
}

func TestFormatIsStable(t *testing.T) {
	once := format(t, everything)
	require.Equal(t, once, format(t, once))
	for _, line := range []string{"  10 send channel1 @a.go:10\n", "  100 begin worker by g1 @w.go:3\n", "  91 counters 5 100 200\n",
		"process p2 parent main pid 17 start 20 cost 17500 recording 70 cpu 60 processors 2\nargs ./child \"two words\" -x\n", "  95 exit 1\n", "  63 signal cond5 @c.go:1\n", "  30 enter \"quoted name\"\n",
		"  122 lock rwmutex3 shared\n", "  200000000000 end\n", "warning \"ends elsewhere\" 2\nexited 200000000001 3\n", "  90 sample depth -4\n",
		"  94 taskleft 7 1\n", "  94 taskleft 8\n", "  94 taskend 9\n", "  48 passed 7\n", "  49 chose channel1 received 8\n"} {
		require.Contains(t, once, line)
	}
}

func TestPiecesMakeNoDifference(t *testing.T) {
	want := format(t, everything)
	for n := 1; n < 8; n++ {
		var out bytes.Buffer
		w, err := trace.NewWriter(&out, trace.Options{Resolution: 1, ChunkEvents: n})
		require.NoError(t, err)
		require.NoError(t, Write(w, everything, n+1))
		require.NoError(t, w.Close())
		a, err := trace.OpenReader("text", bytes.NewReader(out.Bytes()), int64(out.Len()))
		require.NoError(t, err)
		var text strings.Builder
		require.NoError(t, Format(a, &text))
		require.Equal(t, want, text.String())
	}
}

func TestErrorsNameLineAndWord(t *testing.T) {
	for text, want := range map[string]string{
		"location a\n 5 blocke":            `line 2: "blocke": unknown event`,
		"location a\n\n 5 send ch":         `line 3: "ch": there is no such object`,
		"location a\n 5 blocked 4 blocked": `line 2: "4": is earlier than the previous event, at 5`,
		"5 blocked":                        `line 1: "5": an event outside a location`,
		"chanel c":                         `line 1: "chanel": unknown word at the beginning of a line`,
		"mutex m\nmutex m":                 `line 2: "m": the name is taken`,
		"mutex":                            `line 1: "mutex": a name is missing after it`,
		"location a\n 1 create b":          `line 2: "b": there is no such location`,
		"location a\n 1 enter r @f.go:x":   `line 2: "@f.go:x": a call site is @file:line or @file:line(function)`,
		"location a\nprocess q\nlocation b\n 1 create a": `line 4: "a": the location belongs to another process`,
		"barrier b many": `line 1: "many": a size must be a number`,
		"mutex m extra":  `line 1: "extra": one word too many`,
		"metric \"open":  `line 1: "\"open": the quote is not closed`,
	} {
		_, err := Parse(text)
		require.EqualError(t, err, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(everything)
	f.Add("location a\n 5 send nil 6 leave")
	f.Add("process main\nargs\nprocess p2 parent main pid 17\nargs\n")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := Open("text", text)
		if err != nil {
			return
		}
		var once, twice strings.Builder
		require.NoError(t, Format(a, &once))
		b, err := Open("again", once.String())
		require.NoError(t, err)
		require.NoError(t, Format(b, &twice))
		require.Equal(t, once.String(), twice.String())
	})
}

// TestCheckOfForgottenSelects tells of each select that was left without a word once, and of nothing else.
func TestCheckOfForgottenSelects(t *testing.T) {
	a, err := Open("text", `
channel c
location main
  0 enter main 1 select 2 enter step 3 send c 4 leave 5 exit 6 send c 7 leave
  8 select 9 select 10 chose none 11 select 12 exit 3
`)
	require.NoError(t, err)
	var at []string
	for _, p := range a.Check() {
		place, what, _ := strings.Cut(p.What, ": the previous select ended without ")
		require.NotEmpty(t, what, p.What)
		at = append(at, place)
	}
	require.Equal(t, []string{"location 1 of process 0 at 2 ns: enter", "location 1 of process 0 at 9 ns: select", "location 1 of process 0 at 12 ns: exit"}, at)
}
