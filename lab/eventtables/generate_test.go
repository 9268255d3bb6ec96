package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/counters/events"
)

func TestInitializers(t *testing.T) {
	arrays, macros := initializers(`
#define BIT 24
#define FLAG (1 << BIT)
/* a comment { with braces } */
static const mask_t masks_a[]={
   { .uname = "ONE", .udesc = "says \"x, y\" {}" " and more", .ucode = 0x0100ull | (0x2 << BIT), },
   { .uname = "TWO", .ucode = FLAG + 1, // another },
     .uflags = A_DFL | A_NCOMBO },
};
static const entry_t pe[]={
  [ INDEX ] = { .name = "EVENT", .masks = masks_a, .numasks = SIZE(masks_a, 3), },
};
static const int ids[][4] = { [0] = { -1, 5, 0x10 }, };`)
	a := arrays["masks_a"]
	require.Len(t, a, 2)
	require.Equal(t, `says "x, y" {} and more`, a[0].text("udesc"))
	v, err := a[0].number("ucode", macros)
	require.NoError(t, err)
	require.EqualValues(t, 0x2000100, v)
	v, err = a[1].number("ucode", macros)
	require.NoError(t, err)
	require.EqualValues(t, 1<<24+1, v)
	require.True(t, a[1].has("uflags", "A_DFL"))
	require.False(t, a[1].has("uflags", "A_D"))
	require.Equal(t, "EVENT", arrays["pe"][0].text("name"))
	require.Equal(t, "-1,5,0x10,", arrays["ids"][0][""])
	for _, bad := range []string{"1 +", "nosuch", "(1", "1 2"} {
		_, err := record{"x": bad}.number("x", macros)
		require.Error(t, err, bad)
	}
}

func TestInfix(t *testing.T) {
	for postfix, want := range map[string]string{
		"N0|N1|+|N2|-|N3|-|":             "N0 + N1 - N2 - N3",
		"N0|N1|2|*|+|N2|4|*|+|N3|8|*|+|": "N0 + N1 * 2 + N2 * 4 + N3 * 8",
		"N0|N1|N2|+|-|":                  "N0 - (N1 + N2)",
		"N0|N1|+|N2|*|":                  "(N0 + N1) * N2",
		"N0|N1|N2|N3|+|+|+|":             "N0 + N1 + N2 + N3",
		"N0|N1|N2|*|/|":                  "N0 / (N1 * N2)",
	} {
		got, err := infix(postfix)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, bad := range []string{"+|", "N0|N1|", "N0|+|"} {
		_, err := infix(bad)
		require.Error(t, err, bad)
	}
}

func TestMappings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.csv")
	require.NoError(t, os.WriteFile(file, []byte(`# a comment
CPU,a
CPU,b
#
PRESET,PAPI_X,NOT_DERIVED,E:M,NOTE,"something"
PRESET,PAPI_Y,DERIVED_SUB,E,F,G
CPU,b
PRESET,PAPI_Z,DERIVED_POSTFIX,N0|2|*|,	E
PRESET,PAPI_OLD,DERIVED_CMPD,E
`), 0o600))
	all, err := readMappings(file)
	require.NoError(t, err)
	require.Equal(t, []mapping{
		{"PAPI_X", "NOT_DERIVED", "N0", []string{"E:M"}}, {"PAPI_Y", "DERIVED_SUB", "N0 - N1 - N2", []string{"E", "F", "G"}},
	}, all["a"])
	require.Len(t, all["b"], 4)
	require.Equal(t, "N0 * 2", all["b"][2].formula)
	require.Empty(t, all["b"][3].formula, "a derivation without formula")
}

// libpfm4 has what the tables are made from, in small.
func TestBuiltIn(t *testing.T) {
	l := &library{table: events.Table{Name: "t", PMU: "cpu", Counters: 8}, kind: intel, model: "HERE", macros: map[string]string{"C": "24"}}
	arrays, _ := initializers(`
m[]={ { .uname = "A", .ucode = 0x100 }, { .uname = "B", .ucode = 0x200 | (0x3 << C) << 0, .ucntmsk = 0xf },
      { .uname = "GONE", .ucode = 0x400, .umodel = ELSEWHERE }, };
pe[]={ { .name = "EV", .code = 0xd1, .cntmsk = 0xff, .umasks = m }, { .name = "OTHER", .code = 1, .model = ELSEWHERE },
       { .name = "OFF", .code = 0x12a, .flags = INTEL_X86_NHM_OFFCORE, .umasks = m, .cntmsk = 0xf }, };`)
	l.events = map[string]native{}
	for _, r := range arrays["pe"] {
		if l.here(r, "model") {
			n := native{record: r}
			for _, mask := range arrays["m"] {
				if l.here(mask, "umodel") {
					n.masks = append(n.masks, mask)
				}
			}
			l.events[r.text("name")], l.order = n, append(l.order, r.text("name"))
		}
	}
	entries, err := l.entries()
	require.NoError(t, err)
	require.Equal(t, []events.Entry{
		{Name: "EV.A", PMU: "cpu", Encoding: "event=0xd1,umask=0x1"},
		{Name: "EV.B", PMU: "cpu", Encoding: "event=0xd1,umask=0x2,cmask=3", Counters: 0xf},
		{Name: "OFF.A", PMU: "cpu", Encoding: "event=0x2a,umask=0x1,offcore_rsp=0x1", Counters: 0xf},
		{Name: "OFF.B", PMU: "cpu", Encoding: "event=0x2a,umask=0x1,offcore_rsp=0x30002", Counters: 0xf},
	}, entries)

	var complaints []string
	m := mapper{l, entries, nil, func(text string) { complaints = append(complaints, text) }}
	presets := m.presets("t", []mapping{
		{"PAPI_A", "NOT_DERIVED", "N0", []string{"ev:a:c=2:i"}},
		{"PAPI_B", "DERIVED_ADD", "N0 + N1", []string{"EV:A:B", "EV:B"}},
		{"PAPI_C", "NOT_DERIVED", "N0", []string{"EV:NOSUCH"}},
		{"PAPI_D", "DERIVED_CMPD", "", []string{"EV:A"}},
		{"PAPI_A", "NOT_DERIVED", "N0", []string{"EV:A"}},
	})
	require.Equal(t, []events.Preset{
		{Name: "PAPI_A", Formula: "N0", Natives: []string{"EV.A"}}, {Name: "PAPI_B", Formula: "N0 + N1", Natives: []string{"EV.A.B", "EV.B"}},
	}, presets)
	require.Len(t, complaints, 2)
	require.Len(t, m.entries, 6, "a combination of masks, and an event with modifiers")
	require.Equal(t, "event=0xd1,umask=0x1,cmask=2,inv=1", m.entries[4].Encoding)
	require.Equal(t, "event=0xd1,umask=0x3,cmask=3", m.entries[5].Encoding)
}

func TestCorrections(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.tsv")
	require.NoError(t, os.WriteFile(file, []byte("# head\na,b\tX.*\tevent=0x9\t0x3 alone\t=\nb\tX.Y\t-\t=\t=\na\tNEW\tevent=0x1\tfixed=2\tis new\n"), 0o600))
	fixes, err := readCorrections(file)
	require.NoError(t, err)
	before := []events.Entry{{Name: "X.Y", Encoding: "event=0x1", Fixed: 1}, {Name: "Z", Encoding: "event=0x2"}}
	require.Equal(t, []events.Entry{
		{Name: "X.Y", Encoding: "event=0x9", Counters: 3, Alone: true}, {Name: "Z", Encoding: "event=0x2"},
		{Name: "NEW", PMU: "cpu", Encoding: "event=0x1", Fixed: 2, Description: "is new"},
	}, corrected(before, events.Table{Name: "a", PMU: "cpu"}, fixes, true))
	require.Equal(t, []events.Entry{{Name: "Z", Encoding: "event=0x2"}}, corrected(before, events.Table{Name: "b"}, fixes, true))
}

func TestVendorFiles(t *testing.T) {
	dir := t.TempDir()
	intelFile, armFile := filepath.Join(dir, "i.json"), filepath.Join(dir, "a.json")
	require.NoError(t, os.WriteFile(intelFile, []byte(`{"Header": {}, "Events": [
		{"EventName": "INST_RETIRED.ANY", "EventCode": "0x00", "UMask": "0x01", "Counter": "Fixed counter 0", "BriefDescription": "all\n of them"},
		{"EventName": "A.B", "EventCode": "0xd1", "UMask": "0x08", "Counter": "0,1,2,3", "CounterMask": "2", "Invert": "1"},
		{"EventName": "A.C", "EventCode": "0x2A,0x2B", "UMask": "0x01", "Counter": "0-7", "MSRIndex": "0x1a6,0x1a7", "MSRValue": "0x10001", "TakenAlone": "1"},
		{"EventName": "OLD", "EventCode": "0x01", "UMask": "0x01", "Counter": "0-7", "Deprecated": "1"}]}`), 0o600))
	require.NoError(t, os.WriteFile(armFile, []byte(`{"cpu": "x", "events": [{"code": 17, "name": "CPU_CYCLES", "description": "Cycles This event counts cycles"},
		{"code": 16388, "name": "CNT_CYCLES"}]}`), 0o600))
	require.NoError(t, run([]string{"-perfmon", intelFile, "-as", "mine", "-title", "Mine", "-match", "V 6 0x1,0x2", "-o", dir}, io.Discard))
	require.NoError(t, run([]string{"-arm", armFile, "-counters", "6", "-fixed", "1", "-as", "yours", "-title", "Yours", "-match", "0x41 8 *", "-o", dir}, io.Discard))
	text, err := os.ReadFile(filepath.Join(dir, "mine.tsv"))
	require.NoError(t, err)
	mine, err := events.Parse("mine", bytes.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, []events.Entry{
		{Name: "INST_RETIRED.ANY", PMU: "cpu", Encoding: "event=0xc0,umask=0x0", Counters: 0xff, Fixed: 1, Description: "all of them"},
		{Name: "A.B", PMU: "cpu", Encoding: "event=0xd1,umask=0x8,inv=1,cmask=2", Counters: 0xf},
		{Name: "A.C", PMU: "cpu", Encoding: "event=0x2a,umask=0x1,offcore_rsp=0x10001", Alone: true},
	}, mine.Entries())
	text, err = os.ReadFile(filepath.Join(dir, "yours.tsv"))
	require.NoError(t, err)
	yours, err := events.Parse("yours", bytes.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, events.Entry{Name: "CPU_CYCLES", PMU: armPMU, Encoding: "event=0x11", Counters: 0x3f, Fixed: 1, Description: "Cycles"}, yours.Entries()[0])
	t.Setenv(events.Directory, dir)
	found, ok := events.For(events.CPU{Vendor: "V", Family: 6, Model: 2})
	require.True(t, ok)
	require.Equal(t, "Mine", found.Title)

	require.Error(t, run(nil, io.Discard))
	require.ErrorContains(t, run([]string{"-arm", armFile, "-as", "x", "-match", "0x41", "-o", dir}, io.Discard), "-match")
	require.Error(t, run([]string{"-perfmon", armFile + "x"}, io.Discard))
}
