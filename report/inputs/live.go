package inputs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"tracerec/internal/size"
)

// Capture says how an execution trace is taken from a program that runs.
type Capture struct {
	Seconds float64       // how long the program writes it; 0: what the address says, else DefaultSeconds
	Extra   time.Duration // how much longer it may take; what came until then is used
	Most    int64         // bytes; what came until then is used
	Save    string        // file that keeps the trace, "" for none
	Flags   []string      // names of the flags by which the user chose any of that
}

// DefaultSeconds is how long a program writes a trace if nobody says something else.
const DefaultSeconds = 5

// taken is what was taken of which address, and how.
var (
	how   Capture
	taken = map[string]*live{}
)

// Take says how traces are taken from now on, each when it is first asked for, and forgets those of before. It is an error if one is to be
// saved in a file that the command reads or writes itself, or if the user chose something and nothing of what the command names is an address.
func Take(c Capture, named ...string) error {
	how = c
	for _, l := range taken {
		l.file.Close()
	}
	clear(taken)
	if len(c.Flags) > 0 && !slices.ContainsFunc(named, Live) {
		return fmt.Errorf("--%s is for addresses: no input is one", c.Flags[0])
	}
	if c.Save == "" {
		return nil
	}
	save, _ := filepath.Abs(c.Save)
	there, missing := os.Stat(c.Save)
	for _, name := range named {
		other, _ := filepath.Abs(name)
		if info, err := os.Stat(name); name != "" && (other == save || missing == nil && err == nil && os.SameFile(info, there)) {
			return fmt.Errorf("--save %s: the command itself reads or writes that file", c.Save)
		}
	}
	return nil
}

// Live says whether an input is the address of a program that runs.
func Live(input string) bool {
	return strings.HasPrefix(input, "http://") || strings.HasPrefix(input, "https://")
}

// Damage says why what was taken from an address is not all of it, nil if it is, or if the input is none.
func Damage(input string) error {
	if l := taken[input]; l != nil {
		return l.cut
	}
	return nil
}

// File returns the name of the file that holds an input, "" if none does that stays.
func File(input string) string {
	switch {
	case input == Stdin:
		return ""
	case Live(input):
		return how.Save
	}
	return input
}

// live is the trace of an address.
type live struct {
	file     *os.File
	size     int64
	cut, err error // why it is not whole, or not there
}

// at returns the trace of an address, which is taken once.
func at(address string) *live {
	l := taken[address]
	if l == nil {
		l = new(live)
		taken[address] = l
		if l.err = l.take(address); l.err != nil {
			l.err = fmt.Errorf("%s: %w", Called(address), l.err)
		}
	}
	return l
}

// take takes a trace, and a CPU profile while it is written if the address is only that of the program: then the trace has samples that tell
// where goroutines were while they ran.
func (l *live) take(address string) error {
	u, bare, seconds, err := traceOf(address)
	if err != nil {
		return err
	}
	allowed := time.Duration(seconds*float64(time.Second)) + how.Extra
	ctx, cancel := context.WithTimeoutCause(context.Background(), allowed, fmt.Errorf("no end within %v", allowed))
	defer cancel()
	if bare {
		go sample(ctx, u, seconds)
	}
	answer, err := get(ctx, u)
	if err != nil {
		return err
	}
	defer answer.Close()
	in := &body{ctx: ctx, from: answer, left: how.Most}
	start := make([]byte, 16)
	n, _ := io.ReadFull(in, start)
	switch {
	case n == 0:
		return cmp.Or(in.cut, errors.New("the answer is empty"))
	case !goTrace.Match(start[:n]):
		return fmt.Errorf("offset 0: no Go execution trace, as it starts with %q", start[:n])
	}
	switch {
	case how.Save == "":
		l.file, err = unnamed()
	case len(taken) > 1:
		return errors.New("--save keeps one trace, not several")
	default:
		l.file, err = os.Create(how.Save)
	}
	if err == nil {
		l.size, err = io.Copy(l.file, io.MultiReader(strings.NewReader(string(start[:n])), in))
	}
	if in.cut != nil {
		l.cut = fmt.Errorf("%s: cut after %d bytes: %w", Called(address), l.size, in.cut)
	}
	return err
}

// traceOf returns the address of the trace of a program, whether what was given is only that of the program, and how many seconds that takes.
func traceOf(address string) (u *url.URL, bare bool, seconds float64, err error) {
	if u, err = url.Parse(address); err != nil {
		return nil, false, 0, err.(*url.Error).Err
	}
	switch {
	case u.Host == "":
		return nil, false, 0, errors.New("an address without a host")
	case !(how.Seconds >= 0 && how.Seconds < math.Inf(1)):
		return nil, false, 0, fmt.Errorf("--seconds %v: not a time", how.Seconds)
	}
	path := strings.TrimSuffix(u.Path, "/")
	if bare = path == "" || path == "/debug/pprof"; bare {
		u.Path = "/debug/pprof/trace"
	}
	q := u.Query()
	seconds, err = strconv.ParseFloat(q.Get("seconds"), 64)
	if how.Seconds > 0 || err != nil || !(seconds > 0) {
		seconds = cmp.Or(how.Seconds, DefaultSeconds)
		q.Set("seconds", strconv.FormatFloat(seconds, 'f', -1, 64))
		u.RawQuery = q.Encode()
	}
	const day = 24 * 60 * 60
	return u, bare, min(seconds, day), nil
}

// get asks for a trace. What a program says that does not give one is the error, with what helps.
func get(ctx context.Context, u *url.URL) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, err.(*url.Error).Err // without the address
	}
	if answer.StatusCode == http.StatusOK {
		return answer.Body, nil
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 200))
	said, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	switch {
	case answer.StatusCode == http.StatusNotFound:
		said = "no " + u.Path + ": the program must import net/http/pprof, and serve what that registers"
	case strings.Contains(said, "already enabled"):
		said += ": try again once the trace that is being taken has ended"
	case strings.Contains(said, "WriteTimeout"):
		said += ": ask for fewer --seconds"
	}
	return nil, fmt.Errorf("%s: %s", answer.Status, said)
}

// sample has the program take a CPU profile. Whether it does is not important.
func sample(ctx context.Context, trace *url.URL, seconds float64) {
	u := *trace
	u.Path, u.RawQuery = "/debug/pprof/profile", fmt.Sprintf("seconds=%.0f", math.Ceil(seconds))
	if answer, err := get(ctx, &u); err == nil {
		_, _ = io.Copy(io.Discard, answer)
		answer.Close()
	}
}

// body reads an answer as far as it comes.
type body struct {
	ctx  context.Context
	from io.Reader
	left int64 // bytes that may be read
	cut  error // why that is not all
}

func (b *body) Read(p []byte) (n int, err error) {
	if int64(len(p)) > b.left {
		p = p[:b.left+1] // one more tells whether there is more
	}
	if n, err = b.from.Read(p); int64(n) > b.left {
		n, err = int(b.left), io.EOF
		b.cut = fmt.Errorf("--max-size %s is reached", (*size.Bytes)(&how.Most))
	}
	b.left -= int64(n)
	if err != nil && err != io.EOF {
		b.cut, err = cmp.Or(context.Cause(b.ctx), err), io.EOF
	}
	return n, err
}
