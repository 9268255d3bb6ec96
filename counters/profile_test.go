package counters

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"

	"tracerec/internal/scripted"
)

func profiled(t *testing.T, o ProfileOptions, threshold uint64, happen func(*scripted.Substrate)) *Histogram {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	sub := scripted.New(scripted.Config{Overflow: true, Events: []scripted.Event{{Name: "misses"}}})
	s := New(sub)
	require.NoError(t, s.Add("misses"))
	h, err := s.Profile("misses", threshold, o)
	require.NoError(t, err)
	require.NoError(t, s.Start())
	require.Equal(t, Running|Profiling, s.State())
	happen(sub)
	require.NoError(t, s.Stop(nil))
	require.NoError(t, s.Close())
	require.Zero(t, sub.Opened())
	return h
}

func TestBucketsOfRegions(t *testing.T) {
	o := ProfileOptions{Regions: []Region{{Low: 0x1000, High: 0x1100}, {Low: 0x2000, High: 0x2100, Scale: 0x20000}, {Low: 0x3000, High: 0x3100, Scale: 0x8000}}}
	h := profiled(t, o, 10, func(s *scripted.Substrate) {
		for _, pc := range []uintptr{0x1000, 0x1001, 0x1002, 0x10ff, 0x1100, 0x2000, 0x2001, 0x3000, 0x3003, 0x3004, 0xfff} {
			s.HappenAt(scripted.Place{PC: pc}, "misses", 10)
		}
	})
	bucket := func(region int, low uintptr, n uint64) Bucket {
		return Bucket{Region: region, Low: low, Value: n, Estimate: n}
	}
	require.Equal(t, []Bucket{
		bucket(0, 0x1000, 2), bucket(0, 0x1002, 1), bucket(0, 0x10fe, 1),
		bucket(1, 0x2000, 1), bucket(1, 0x2001, 1),
		bucket(2, 0x3000, 2), bucket(2, 0x3004, 1),
	}, h.Buckets())
	counted, outside, unknown, dropped := h.Samples()
	require.Equal(t, []uint64{11, 2, 0, 0}, []uint64{counted, outside, unknown, dropped})
}

func TestNarrowBucketsStayFull(t *testing.T) {
	happen := func(s *scripted.Substrate) { s.HappenAt(scripted.Place{PC: 0x1000}, "misses", 70_000) }
	b := profiled(t, ProfileOptions{}, 1, happen).Buckets()
	require.Equal(t, []Bucket{{Low: 0x1000, Value: 65535, Estimate: 65535, Full: true}}, b)
	b = profiled(t, ProfileOptions{Bits: 32}, 1, happen).Buckets()
	require.Equal(t, []Bucket{{Low: 0x1000, Value: 70_000, Estimate: 70_000}}, b)
	b = profiled(t, ProfileOptions{Compressed: true}, 1, happen).Buckets()
	require.False(t, b[0].Full)
	require.Less(t, b[0].Value, uint64(256*9))
	require.InEpsilon(t, 70_000, b[0].Estimate, 0.15)
}

func TestCompressedIsExactWhileSmall(t *testing.T) {
	h := &Histogram{options: ProfileOptions{Bits: 16, Compressed: true}}
	for v := range uint64(255) {
		require.Equal(t, v+1, h.increment(v, 1))
		require.Equal(t, v+1, h.estimate(v+1))
	}
	require.Equal(t, uint64(256+256+250), h.increment(0, 256+2*256+4*250), "whole steps need no chance")
}

func TestRandomDropsAQuarter(t *testing.T) {
	h := profiled(t, ProfileOptions{Random: true, Seed: 7}, 1, func(s *scripted.Substrate) {
		s.HappenAt(scripted.Place{PC: 0x1000}, "misses", 10_000)
	})
	counted, _, _, dropped := h.Samples()
	require.Equal(t, uint64(10_000), counted+dropped)
	require.InDelta(t, 2500, dropped, 200)
	require.Equal(t, counted, h.Buckets()[0].Value)
}

func TestWeightedCountsEvents(t *testing.T) {
	h := profiled(t, ProfileOptions{Weighted: true, Bits: 64}, 1000, func(s *scripted.Substrate) {
		s.HappenAt(scripted.Place{PC: 0x1000}, "misses", 5000)
	})
	require.Equal(t, uint64(5000), h.Buckets()[0].Value)
}

func TestProfileArguments(t *testing.T) {
	s := New(scripted.New(scripted.Config{Overflow: true, Events: []scripted.Event{{Name: "misses"}, {Name: "level", Gauge: true}}}))
	require.NoError(t, s.AddAll("misses", "level"))
	for _, o := range []ProfileOptions{{Bits: 8}, {Regions: []Region{{Low: 2, High: 2}}}, {Regions: []Region{{High: 2, Scale: 0x40000}}}} {
		_, err := s.Profile("misses", 10, o)
		require.ErrorIs(t, err, ErrInvalid)
	}
	_, err := s.Profile("misses", 0, ProfileOptions{})
	require.ErrorIs(t, err, ErrInvalid)
	_, err = s.Profile("hits", 1, ProfileOptions{})
	require.ErrorIs(t, err, ErrNotInSet)
	_, err = s.Profile("level", 1, ProfileOptions{})
	require.ErrorIs(t, err, ErrUnsupported)
}

//go:noinline
func hot(n int) (sum int) {
	for i := range n {
		sum += i * i // the line with the samples
	}
	return sum
}

// The profile opens in go tool pprof, which shows the lines.
func TestPprofShowsLines(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command: ", err)
	}
	entry := reflect.ValueOf(hot).Pointer()
	file, line := runtime.FuncForPC(entry).FileLine(entry)
	h := profiled(t, ProfileOptions{}, 100, func(s *scripted.Substrate) {
		s.HappenAt(scripted.Place{PC: entry}, "misses", 900)
		s.HappenAt(scripted.Place{PC: reflect.ValueOf(strings.ToUpper).Pointer()}, "misses", 100)
	})
	var out bytes.Buffer
	require.NoError(t, h.WritePprof(&out))
	path := filepath.Join(t.TempDir(), "misses.pb.gz")
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
	top, err := exec.Command(tool, "tool", "pprof", "-top", "-lines", path).CombinedOutput()
	require.NoError(t, err, string(top))
	text := string(top)
	require.Contains(t, text, "Type: misses")
	require.Regexp(t, regexp.MustCompile(`900\s+90\.00%.*counters\.hot .*`+regexp.QuoteMeta(filepath.Base(file))+":"+strconv.Itoa(line)), text)
	require.Regexp(t, `100\s+10\.00%.*strings\.ToUpper`, text)
}

// The profile says what pprof's own reader can check.
func TestPprofIsValid(t *testing.T) {
	h := profiled(t, ProfileOptions{}, 100, func(s *scripted.Substrate) {
		s.HappenAt(scripted.Place{PC: reflect.ValueOf(hot).Pointer()}, "misses", 900)
	})
	h.dropped = 7
	var out bytes.Buffer
	require.NoError(t, h.WritePprof(&out))
	p, err := profile.ParseData(out.Bytes())
	require.NoError(t, err)
	require.NoError(t, p.CheckValid())
	require.Equal(t, []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "misses", Unit: "count"}}, p.SampleType)
	require.Equal(t, p.SampleType[1], p.PeriodType)
	require.EqualValues(t, 100, p.Period)
	require.Equal(t, "misses", p.DefaultSampleType)
	require.Equal(t, []string{"7 samples were dropped at random, 0 have no program counter."}, p.Comments)
	require.Len(t, p.Mapping, 1)
	program, err := os.Executable()
	require.NoError(t, err)
	require.Equal(t, program, p.Mapping[0].File)
	require.True(t, p.Mapping[0].HasFunctions && p.Mapping[0].HasFilenames && p.Mapping[0].HasLineNumbers && p.Mapping[0].HasInlineFrames)
	require.Len(t, p.Sample, 1)
	require.EqualValues(t, 900, p.Sample[0].Value[1])
	require.Equal(t, p.Mapping[0], p.Sample[0].Location[0].Mapping)
	require.EqualValues(t, reflect.ValueOf(hot).Pointer(), p.Sample[0].Location[0].Address)
	f := p.Sample[0].Location[0].Line[0].Function
	require.Equal(t, "tracerec/counters.hot", f.Name)
	require.Equal(t, f.Name, f.SystemName)
	require.Equal(t, "profile_test.go", filepath.Base(f.Filename))
}

func TestWritingAProfileTwiceGivesTheSameBytes(t *testing.T) {
	h := profiled(t, ProfileOptions{}, 1, func(s *scripted.Substrate) {
		for pc := range uintptr(50) {
			s.HappenAt(scripted.Place{PC: 0x1000 + pc}, "misses", uint64(pc%7+1))
		}
	})
	var a, b bytes.Buffer
	require.NoError(t, h.WritePprof(&a))
	require.NoError(t, h.WritePprof(&b))
	require.Equal(t, a.Bytes(), b.Bytes())
	require.NotZero(t, hot(3))
}

var stack []uintptr

//go:noinline
func takeStack() { stack = append(stack[:0], callers()...) }

func callers() []uintptr {
	pcs := make([]uintptr, 10)
	return pcs[:runtime.Callers(2, pcs)] // from takeStack on
}

//go:noinline
func callsHere() {
	takeStack() // line of the call
	stack[0]--  // an overflow tells where the program is, not where it returns to
}

// Callers are shown with the line of the call, though the stack has the addresses to return to.
func TestPprofShowsLinesOfCalls(t *testing.T) {
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command: ", err)
	}
	callsHere()
	_, _, here, _ := runtime.Caller(0)
	text, err := os.ReadFile("profile_test.go")
	require.NoError(t, err)
	line := 1 + strings.Count(strings.Split(string(text), "// line of the call\n")[0], "\n")
	require.Less(t, line, here)
	h := &Histogram{event: Event{Name: "misses"}, options: ProfileOptions{Bits: 64}, stacks: map[string]*stackSamples{}}
	h.add(Overflow{PC: stack[0], Stack: stack, Count: 10})
	var out bytes.Buffer
	require.NoError(t, h.WritePprof(&out))
	path := filepath.Join(t.TempDir(), "misses.pb.gz")
	require.NoError(t, os.WriteFile(path, out.Bytes(), 0o600))
	traces, err := exec.Command(tool, "tool", "pprof", "-traces", "-lines", path).CombinedOutput()
	require.NoError(t, err, string(traces))
	require.Regexp(t, `(?s)10 +tracerec/counters\.takeStack .*counters\.callsHere .*profile_test\.go:`+strconv.Itoa(line)+`\n.*TestPprofShowsLinesOfCalls`, string(traces))
}
