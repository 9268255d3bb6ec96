package spec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The rules for what the paper leaves open, with the numbers of docs/specification.md.

func TestRule1MeasuredValueWinsAndPartsStay(t *testing.T) {
	s := parse(t, "compose ALL = A + B\nmeasure ALL = all\nmeasure A = a\nmeasure B = b")
	require.Equal(t, "ALL 100 unaccounted 30\n  A 50\n  B 20\n", tree(s, "all=100 a=50 b=20"))
	require.Equal(t, "ALL 70\n  A 50\n  B 20\n", tree(s, "a=50 b=20"))
}

func TestRule2CompositionOfNothingIsLeftOut(t *testing.T) {
	s := parse(t, "compose ALL = A + B\ncompose B = C + D\nmeasure A = a\nmeasure C = c\nmeasure D = d\nmeasure ALL = all")
	require.Equal(t, "ALL 100 unaccounted 60\n  A 40\n", tree(s, "all=100 a=40"))
	require.Empty(t, tree(s, "x=1"))
}

func TestRule3TheOnePartThatNothingMeasuresIsTheRemainder(t *testing.T) {
	s := parse(t, "compose ALL = REST + A + B\nmeasure ALL = all\nmeasure A = a\nmeasure B = b")
	require.Equal(t, "ALL 100\n  REST 30 inferred\n  A 50\n  B 20\n", tree(s, "all=100 a=50 b=20"))
	require.Equal(t, "ALL 100 unaccounted 50\n  A 50\n", tree(s, "all=100 a=50"), "two are lacking")
	require.Equal(t, "~ALL 70\n  A 50\n  B 20\n", tree(s, "a=50 b=20"), "the sum is not known")
	require.Equal(t, "ALL 60\n  REST -10 inferred\n  A 50\n  B 20\n", tree(s, "all=60 a=50 b=20"), "an inconsistency is shown")
	require.Equal(t, "ALL 100\n", tree(s, "all=100"))

	s = parse(t, "compose ALL = REST + A\nmeasure ALL = all\ncompose A = C + D\nmeasure C = c\nmeasure D = d")
	require.Equal(t, "ALL 100 unaccounted 90\n  ~A 10\n    C 10\n", tree(s, "all=100 c=10"), "another part is incomplete")

	s = parse(t, "compose ALL = e1 + e2\nmeasure ALL = all\nset both = e1, e2")
	require.Equal(t, "ALL 100 unaccounted 60\n  e1 40\n", tree(s, "all=100 e1=40"), "e2 is an event")

	s = parse(t, "compose ALL = e1 + e2 + REST\nmeasure ALL = all\nrest REST")
	require.Equal(t, "ALL 100 unaccounted 60\n  e1 40\n", tree(s, "all=100 e1=40"))
	require.Equal(t, "ALL 100\n  e1 40\n  e2 50\n  REST 10 inferred\n", tree(s, "all=100 e1=40 e2=50"))

	s = parse(t, "compose ALL = e1 + e2\nmeasure ALL = all\nrest OTHER")
	require.Equal(t, "ALL 100 unaccounted 60\n  e1 40\n", tree(s, "all=100 e1=40"), "rest says that e2 is an event")
}

func TestRule4AComposedNameMayBeAnEvent(t *testing.T) {
	s := parse(t, "compose STALLS = MISS + OTHER\ncompose MISS = near + far\nset all = MISS, OTHER, near, far")
	require.Equal(t, "~STALLS 30\n  MISS 30 unaccounted 10\n    near 20\n", tree(s, "MISS=30 near=20"))
	require.Equal(t, "~STALLS 25\n  MISS 25\n    near 20\n    far 5\n", tree(s, "near=20 far=5"))
}

func TestRule5AMeasureOfAComposedNameHasItsParts(t *testing.T) {
	s := parse(t, "compose STALL = WAIT + OTHER\nmeasure WAIT = PAPI_MEM_SCY\ncompose PAPI_MEM_SCY = r + w\nset all = OTHER, r, w")
	require.Equal(t, "~STALL 30\n  WAIT 30 unaccounted 10\n    r 20\n", tree(s, "PAPI_MEM_SCY=30 r=20"))
	require.Equal(t, "~STALL 25\n  WAIT 25\n    r 20\n    w 5\n", tree(s, "r=20 w=5"))
	require.Equal(t, "~STALL 20\n  ~WAIT 20\n    r 20\n", tree(s, "r=20"))
	require.Equal(t, []string{"STALL"}, s.Roots(), "PAPI_MEM_SCY is shown as WAIT")
	s = parse(t, "measure WAIT = PAPI_MEM_SCY\ncompute WAIT = x - y\ncompose PAPI_MEM_SCY = r + w")
	require.Equal(t, "WAIT 9\n  r 2\n  w 7 inferred\n", tree(s, "x=10 y=1 r=2"), "computed rather than incomplete")
}

func TestRule6OneTermComposeShowsTheEventBelow(t *testing.T) {
	s := parse(t, "compose INTEGER = fxu\nmeasure BRANCH = br\ncompute MISS = misses")
	require.Equal(t, "INTEGER 5\n  fxu 5\nBRANCH 6\nMISS 7\n", tree(s, "fxu=5 br=6 misses=7"))
}

func TestRule7PartialSumsStayPartialComputationsDoNot(t *testing.T) {
	s := parse(t, "compose ALL = HIT + MISS\ncompute HIT = refs - misses\nmeasure MISS = misses")
	require.Equal(t, "~ALL 5\n  MISS 5\n", tree(s, "misses=5"))
	r := s.Resolve([]string{"misses"})
	require.Equal(t, []string{"HIT: refs was not measured"}, r.Dropped)
	require.Equal(t, []string{"refs"}, r.Nodes[0].Missing)
	require.Equal(t, "ALL 50\n  HIT 45\n  MISS 5\n", tree(s, "misses=5 refs=50"), "completed when merged")
	require.Equal(t, []string{"ALL: misses was not measured", "HIT: misses was not measured"}, s.Resolve([]string{"refs"}).Dropped)
	require.Equal(t, []string{"ALL: refs and misses were not measured"}, s.Resolve([]string{"x"}).Dropped)
	s = parse(t, "compose ALL = a + b\ncompute ALL = c - d")
	require.Empty(t, s.Resolve([]string{"a", "b", "c"}).Dropped, "the composition is complete")
	require.Equal(t, []string{"ALL: b was not measured", "ALL: d was not measured"}, s.Resolve([]string{"a", "c"}).Dropped)
}

func TestRule8WhatAProcessorHasNotMakesNothingIncomplete(t *testing.T) {
	s := parse(t, "compose ALL = L1 + L2 + L3\nmeasure L1 = a\nmeasure L2 = b\nmeasure L3 = c\nabsent L3")
	require.Equal(t, "ALL 7\n  L1 5\n  L2 2\n", tree(s, "a=5 b=2"))
	s = parse(t, "compose ALL = L1 + L2 + L3\nmeasure ALL = all\nmeasure L1 = a\nmeasure L2 = b\nabsent L3")
	require.Equal(t, "ALL 9 unaccounted 2\n  L1 5\n  L2 2\n", tree(s, "a=5 b=2 all=9"), "and is no remainder")
}

func TestRule9AlternativesAreTriedInTheirOrder(t *testing.T) {
	s := parse(t, "measure X = first | second\ncompute Y = a - b | c - d")
	require.Equal(t, "X 1\n", tree(s, "second=2 first=1"))
	require.Equal(t, "X 2\n", tree(s, "second=2"))
	require.Equal(t, "Y 5\n", tree(s, "a=1 c=8 d=3"))
	require.Equal(t, []string{"second"}, s.Resolve([]string{"second", "first"}).Unlisted)
	require.Equal(t, []Term{{0, 1}}, s.Resolve([]string{"first", "first"}).Nodes[0].Form)
	s = parse(t, "ratio R = a / b | a / c")
	require.Equal(t, "(a / c)", s.Resolve([]string{"a", "c"}).Ratios[0].Expression.String())
	require.Equal(t, "(a / b)", s.Resolve([]string{"a", "b", "c"}).Ratios[0].Expression.String())
}

func TestRule10AQuotientHasBlanksAround(t *testing.T) {
	s := parse(t, "ratio R = HT_I/O_XFER / msr/tsc/\nratio Q = cpu/event=0x3c,umask=0/ / mem:0x10/8:w")
	require.Equal(t, []string{"HT_I/O_XFER", "msr/tsc/"}, s.ratios[0].alternatives[0].Names())
	require.Equal(t, []string{"cpu/event=0x3c,umask=0/", "mem:0x10/8:w"}, s.ratios[1].alternatives[0].Names())
	s = parse(t, "compute X = task-clock - cpu-clock\nset S = cpu/event=1,umask=2/, b,c d")
	require.Equal(t, []string{"task-clock", "cpu-clock"}, s.Together()[0])
	require.Equal(t, []string{"cpu/event=1,umask=2/", "b", "c", "d"}, s.Sets[0].Events)
}

func TestRule11ASecondDefinitionHasToOverride(t *testing.T) {
	require.EqualError(t, problems("measure X = a\nmeasure X = b"), "f:2:9: measure of X is already at f:1:9; override replaces it")
	require.EqualError(t, problems("compose X = a\ncompose X = a"), "f:2:9: compose of X is already at f:1:9; override replaces it")
	s := parse(t, "measure X = a\noverride measure X = b")
	require.Equal(t, "X 2\n", tree(s, "a=1 b=2"))
	s = parse(t, "measure X = a\ncompose X = c + d\noverride measure X = b")
	require.Equal(t, "X 9 unaccounted 2\n  c 3\n  d 4\n", tree(s, "a=1 b=9 c=3 d=4"), "only the same kind is replaced")
}

func TestRule12OneParentInAHierarchy(t *testing.T) {
	require.EqualError(t, problems("compose ALL = A + B\ncompose A = X + Y\ncompose B = X + Z"),
		"f:3:13: X is in A and in B of the hierarchy ALL")
	s := parse(t, "compose ALL = A + B\ncompute A = x - y\ncompute B = x - z\ncompose OTHER = A + C")
	require.Equal(t, "ALL 17\n  A 9\n  B 8\n~OTHER 9\n  A@OTHER 9\n", tree(s, "x=10 y=1 z=2"), "an event may be in several, a name in two hierarchies")
	s = parse(t, "root A\ncompose ALL = A + B\ncompose A = x + y\nset s = B x y")
	require.Equal(t, "A 3\n  x 1\n  y 2\n~ALL 3\n  A@ALL 3\n    x@ALL 1\n    y@ALL 2\n", tree(s, "x=1 y=2"), "a root of its own, too")
}

func TestRule13TheSpecificationsAreThoseOfA2(t *testing.T) {
	s, err := Open("opteron")
	require.NoError(t, err)
	require.Equal(t, "INST_HIT_L1$ 87\n", tree(parse(t, "compute INST_HIT_L1$ = IC_FETCH - IC_L2_REFILL - IC_SYS_REFILL"), "IC_FETCH=100 IC_L2_REFILL=10 IC_SYS_REFILL=3"))
	require.Equal(t, "INST_ACCESS 100\n  INST_HIT_L1$ 87\n  INST_HIT_L2$ 10\n    IC_L2_REFILL 10\n  INST_HIT_MEM 3\n    IC_SYS_REFILL 3\n",
		tree(s, "IC_FETCH=100 IC_L2_REFILL=10 IC_SYS_REFILL=3 IC_MISS=12"))
}

func TestRule14EventsOutsideHierarchiesAreListed(t *testing.T) {
	s, err := Open("ultrasparc3")
	require.NoError(t, err)
	r := s.Resolve([]string{"WC_miss", "Cycle_cnt", "SI_snoop", "EC_ref", "my counter"})
	require.Equal(t, []string{"WC_miss", "SI_snoop", "EC_ref", "my counter"}, r.Unlisted)
}

func TestRule15MergedRunsAreCompletedFromTheEvents(t *testing.T) {
	s := parse(t, "compose ALL = A + B\nmeasure A = a\ncompute B = b - c")
	require.Equal(t, "~ALL 5\n  A 5\n", tree(s, "a=5 b=9"))
	require.Equal(t, "ALL 12\n  A 5\n  B 7\n", tree(s, "a=5 b=9 c=2"))
	require.Equal(t, "ALL 2\n  A 5\n  B -3\n", tree(s, "a=5 b=9 c=12"), "runs that do not agree are shown")
}

func problems(text string) error {
	_, err := Parse("f", []byte(text))
	return err
}

// A part whose name nothing knows is told also where the others leave nothing for it, or where the composition is shown without it.
func TestUnknownPartsAreTold(t *testing.T) {
	for text, want := range map[string]string{
		"compose A = typo + b":                           "A: typo was not measured",
		"compose A = typo + b\nmeasure A = c":            "A: typo was not measured", // c and b may be the same
		"compose A = B + c\ncompose B = typo + b":        "B: typo was not measured",
		"compose A = rest + b\nmeasure A = c\nrest rest": "",
		"compose A = gone + b\nabsent gone":              "",
		"compose A = b + c":                              "",
	} {
		s, err := Parse("mine", []byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, strings.Join(s.Resolve([]string{"b", "c"}).Dropped, "\n"), text)
	}
}
