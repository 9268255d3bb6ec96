package cubepl

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shared holds reports of other tools.
const shared = "../../../shared/data"

// members returns the parts of a .cubex file, a tar archive. Some writers get the header's checksum wrong, which
// archive/tar refuses.
func members(file []byte) map[string][]byte {
	const block = 512
	found := map[string][]byte{}
	for len(file) >= block && file[0] != 0 {
		name, _, _ := bytes.Cut(file[:100], []byte{0})
		size, err := strconv.ParseInt(strings.Trim(string(file[124:136]), " \x00"), 8, 32)
		file = file[block:]
		if err != nil || int(size) > len(file) {
			break
		}
		found[string(name)] = file[:size]
		file = file[min((int(size)+block-1)/block*block, len(file)):]
	}
	return found
}

// text returns a member of a .cubex file, decompressed.
func text(t *testing.T, member []byte) string {
	if bytes.HasPrefix(member, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(bytes.NewReader(member))
		require.NoError(t, err)
		member, err = io.ReadAll(z)
		require.NoError(t, err)
	}
	return string(member)
}

// sharedReports calls each with the members of every .cubex file there is.
func sharedReports(t *testing.T, each func(file string, members map[string][]byte)) {
	if _, err := os.Stat(shared); err != nil {
		t.Skip("no reports of other tools here: ", err)
	}
	require.NoError(t, filepath.WalkDir(shared, func(file string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".cubex") {
			return err
		}
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		each(file, members(content))
		return nil
	}))
}

// All expressions in the reports of other tools parse, and their normal forms parse to the same.
func TestExpressionsInUse(t *testing.T) {
	files, specs, total := 0, 0, 0
	different := map[string]bool{}
	sharedReports(t, func(file string, members map[string][]byte) {
		files++
		for name, member := range members {
			if name != "anchor.xml" && !strings.HasSuffix(name, ".spec") {
				continue
			}
			source := text(t, member)
			list, _ := expressions(source)
			require.Equal(t, strings.Count(source, "</cubepl"), len(list), "%s in %s", name, file)
			if len(list) > 0 {
				specs++
			}
			for _, x := range list {
				p, err := Parse(x.text)
				require.NoError(t, err, "%s of %s in %s", x.element, x.metric, file)
				again, err := Parse(p.String())
				require.NoError(t, err, "%s of %s in %s", x.element, x.metric, file)
				require.Equal(t, p.String(), again.String())
				different[p.String()] = true
				total++
			}
		}
	})
	t.Logf("%d files, %d with expressions, %d expressions, %d different ones", files, specs, total, len(different))
	require.GreaterOrEqual(t, files, 55)
	require.GreaterOrEqual(t, specs, 31)
	require.GreaterOrEqual(t, total, 3167)
	require.GreaterOrEqual(t, len(different), 248)
}
