package naming

import (
	"debug/dwarf"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

// Whatever is damaged in a program, its symbols name something or nothing.
func TestDamagedPrograms(t *testing.T) {
	whole, err := os.ReadFile(testkit.Build(t, nil, "-ldflags=-compressdwarf=false", "../../analyzer/pipeline/testdata/told"))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "told")
	read := func(b []byte) *Program {
		require.NoError(t, os.WriteFile(file, b, 0o700))
		return ReadProgram(file, time.Now().Add(time.Hour))
	}
	const put = "tracerec/analyzer/pipeline/testdata/told/queue.(*Queue).Put"
	p := read(whole)
	name, unique := p.Of("signal", put, 1<<20)
	require.Equal(t, "Queue.ready", name)
	require.True(t, unique)
	name, _ = p.Of("signal", put, 1)
	require.Empty(t, name, "the function begins behind that line")
	name, _ = p.Of("signal", put+"s", 1<<20)
	require.Empty(t, name, "there is no such function")

	require.Nil(t, read(nil))
	for n := 1; n < 8; n++ {
		read(whole[:len(whole)*n/8]).Of("signal", put, 1<<20)
	}
	symbols := len(whole) * 5 / 8 // they are in the last part of the file
	for at := symbols; at < len(whole); at += (len(whole) - symbols) / testkit.Cases(24) {
		damaged := append([]byte(nil), whole...)
		for i := at; i < min(at+64, len(whole)); i++ {
			damaged[i] ^= 0xa5
		}
		read(damaged).Of("signal", put, 1<<20)
	}
}

// FuzzSymbols: names of types and functions may be anything.
func FuzzSymbols(f *testing.F) {
	f.Add("main.(*DB).Get.func1", "main.DB", "mu", "map[string][4]*tracerec/instrument.Mutex", "lock")
	f.Add("x.org/a%2eb.F[go.shape.int]", "noalg.struct { F uintptr; R *tracerec/instrument.Cond }", "R", "*tracerec/instrument.Cond", "signal")
	f.Add("main.f-range1", "", "&wg", "tracerec/instrument.WaitGroup", "wait")
	f.Fuzz(func(t *testing.T, in, holder, name, typ, operation string) {
		p := &Program{functions: map[string]function{}}
		types := map[dwarf.Offset]string{7: typ}
		entry := func(tag dwarf.Tag, name string) *dwarf.Entry {
			return &dwarf.Entry{Tag: tag, Field: []dwarf.Field{{Attr: dwarf.AttrName, Val: name}, {Attr: dwarf.AttrType, Val: dwarf.Offset(7)}}}
		}
		unit := entry(dwarf.TagCompileUnit, "")
		p.symbol(types, []*dwarf.Entry{unit}, entry(dwarf.TagSubprogram, in))
		p.symbol(types, []*dwarf.Entry{unit, entry(dwarf.TagStructType, holder)}, entry(dwarf.TagMember, name))
		p.symbol(types, []*dwarf.Entry{unit, entry(dwarf.TagSubprogram, in)}, entry(dwarf.TagVariable, name))
		text, unique := p.Of(operation, in, 1)
		if text == several || unique && text == "" {
			t.Fatalf("%q", text)
		}
	})
}
