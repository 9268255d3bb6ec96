package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/report/cube"
	"tracerec/report/query"
)

// writers are all command lines that write a file, less -o.
func writers(trace, report, other string) [][]string {
	list := [][]string{
		{"analyze", trace}, {"analyze", report}, {"diff", report, other}, {"mean", report, other}, {"merge", report, other},
		{"cut", report, "--prune", "run/lock"}, {"remap", report, "--define", "twice=2"}, {"export", trace, "--to", "perfetto"},
	}
	for _, to := range []string{"pprof", "csv", "html", "cubex"} {
		list = append(list, []string{"export", report, "--to", to})
	}
	return list
}

// All commands write in the same way.
func TestOutputFiles(t *testing.T) {
	dir := archive(t, lockTrace)
	reports := lockReports(t, 90, 50)
	report := filepath.Join(t.TempDir(), "report.cubex")
	status, _, stderr := expert("analyze", dir, "-o", report)
	require.Zero(t, status, stderr)
	segment := filepath.Join(dir, "segment-000.trc")
	whole := map[string]string{}
	for _, name := range []string{report, segment} {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		whole[name] = string(b)
	}
	for _, args := range writers(dir, report, reports[0]) {
		to := func(name string) []string { return append(args[:len(args):len(args)], "-o", name) }
		place := t.TempDir()
		written, link, full := filepath.Join(place, "out"), filepath.Join(place, "link"), filepath.Join(place, "full")
		require.NoError(t, os.Symlink("out", link))
		require.NoError(t, os.Symlink("/dev/full", full))

		status, _, stderr := expert(to(link)...)
		require.Zero(t, status, "%s: %s", args, stderr)
		info, err := os.Lstat(written)
		require.NoError(t, err, args)
		require.True(t, info.Mode().IsRegular() && info.Size() > 0, args)

		oneLast(t, to(full), "write "+full+": no space left on device")
		oneLast(t, to("/dev/full"), "write /dev/full: no space left on device")
		info, err = os.Lstat("/dev/full")
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&os.ModeCharDevice, args)
		status, _, stderr = expert(to("/dev/null")...)
		require.Zero(t, status, "%s: %s", args, stderr)

		oneLast(t, to(place+"/no/out"), "open "+place+"/no/out: no such file or directory")
		oneLine(t, to(place), "-o "+place+": is a directory")
		oneLine(t, to(""), "the name of the output is empty")
		switch {
		case args[1] == report:
			oneLine(t, to(report), "-o "+report+": it is the input "+report+", which would be lost")
		case args[0] != "export": // whose segment is looked for, too
			oneLine(t, to(segment), "-o "+segment+": it is a part of the input "+dir+", which would be lost")
		}
		left, err := os.ReadDir(place)
		require.NoError(t, err)
		require.Len(t, left, 3, args) // nothing half done
	}
	oneLine(t, []string{"export", dir, "--to", "perfetto", "-o", segment}, "it is a part of the input "+dir)
	oneLine(t, []string{"diff", reports[0], report, "-o", "-"}, "standard output has the text")
	for name, content := range whole {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, content, string(b), name)
	}
	status, stdout, stderr := expert("cut", report, "--prune", "run/lock", "-o", "-")
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, "anchor.xml")
}

// oneLast requires status 2 and an error in the last line, behind notes.
func oneLast(t *testing.T, args []string, want string) {
	t.Helper()
	status, _, stderr := expert(args...)
	require.Equal(t, 2, status, args)
	require.Contains(t, stderr, want+"\n", args)
}

// Errors name files as the user does, so that one knows which of several of one name is meant.
func TestNames(t *testing.T) {
	place := t.TempDir()
	for _, dir := range []string{"a", "b"} {
		require.NoError(t, os.Mkdir(filepath.Join(place, dir), 0o777))
	}
	whole, err := os.ReadFile(lockReports(t, 90)[0])
	require.NoError(t, err)
	good, bad := filepath.Join(place, "a", "scout.cubex"), filepath.Join(place, "b", "scout.cubex")
	require.NoError(t, os.WriteFile(good, whole, 0o666))
	for _, content := range []string{"", "<cube", string(whole[:len(whole)/2])} {
		require.NoError(t, os.WriteFile(bad, []byte(content), 0o666))
		for _, args := range [][]string{{"analyze", bad}, {"stat", bad}, {"diff", good, bad}, {"mean", good, bad, "-o", place + "/out"}} {
			oneLine(t, args, "expert: "+bad+": ")
		}
	}
}

// Who ended each wait is kept unless that is not wanted, of a trace as of a report that knows it.
func TestNoWaits(t *testing.T) {
	analyzed := func(input string, flags ...string) (file string, kept bool) {
		file = filepath.Join(t.TempDir(), "report.cubex")
		status, _, stderr := expert(append([]string{"analyze", input, "-o", file}, flags...)...)
		require.Zero(t, status, stderr)
		c, err := cube.Open(file)
		require.NoError(t, err)
		defer c.Close()
		return file, slices.ContainsFunc(c.Members, func(m *cube.Member) bool { return m.Name == query.WaitsMember })
	}
	dir := archive(t, lockTrace)
	_, kept := analyzed(dir, "--no-waits")
	require.False(t, kept)
	report, kept := analyzed(dir)
	require.True(t, kept)
	_, kept = analyzed(report)
	require.True(t, kept)
	_, kept = analyzed(report, "--no-waits")
	require.False(t, kept)
}
