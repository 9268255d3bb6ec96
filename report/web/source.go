package web

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Limits of the source pane.
const (
	maxSourceFile = 8 << 20 // bytes read of a file
	maxSourceLine = 400     // bytes shown of a line
	around        = 200     // lines shown before and behind the one asked for
)

// sources finds and reads the source files that a report names, below directories that somebody other than the report vouches for.
// Nothing else can be read through it, wherever names and links lead.
type sources struct {
	roots []sourceRoot
	named map[string]bool
	start time.Time // of the recording, zero unknown
}

// sourceRoot is a directory with sources.
type sourceRoot struct {
	dir string
	in  *os.Root
	// named says that the user named the directory. Then the program may have been built elsewhere, so that only the ends of the names
	// need to fit. Below others only Go's source is read.
	named bool
}

func newSources(r *Report) *sources {
	s := &sources{named: map[string]bool{}}
	if r.Experiment != nil {
		s.start = r.Experiment.Origin.Start
	}
	for _, attr := range r.Model.Cube.Attrs {
		if start, err := time.Parse(time.RFC3339Nano, attr.Value); err == nil && attr.Key == "start" && s.start.IsZero() {
			s.start = start
		}
	}
	for _, dir := range r.Recorded {
		if real, err := filepath.EvalSymlinks(dir); err == nil && real == filepath.Clean(dir) {
			s.addRoot(dir, false)
		}
	}
	for _, dir := range r.Roots {
		if absolute, err := filepath.Abs(dir); err == nil {
			s.addRoot(absolute, true)
		}
	}
	for _, region := range r.Model.Cube.Regions {
		s.named[region.Module] = true
	}
	for _, p := range r.Model.Cube.Paths() {
		s.named[p.Module] = true
	}
	delete(s.named, "")
	return s
}

// addRoot adds a directory. One that the user did not name must be absolute, and not be everything there is.
func (s *sources) addRoot(dir string, named bool) {
	dir = filepath.Clean(dir)
	if !filepath.IsAbs(dir) || filepath.Dir(dir) == dir && !named {
		return
	}
	if in, err := os.OpenRoot(dir); err == nil {
		s.roots = append(s.roots, sourceRoot{dir, in, named})
	}
}

func (s *sources) close() {
	for _, r := range s.roots {
		r.in.Close()
	}
}

// any says whether at least one of some files can be shown.
func (s *sources) any() bool {
	tries := 100
	for name := range s.named {
		if f, err := s.open(name); err == nil {
			f.Close()
			return true
		}
		if tries--; tries == 0 {
			break
		}
	}
	return false
}

// Why there is no source.
var (
	errNoSource = errors.New("the source is not there")
	errNoRoots  = errors.New("a report from a file shows no source by itself: say with --source where the program's is")
)

// open opens the file behind a name in the report.
func (s *sources) open(name string) (*os.File, error) {
	if !s.named[name] {
		return nil, errNoSource
	}
	if len(s.roots) == 0 {
		return nil, errNoRoots
	}
	for _, r := range s.roots {
		for _, candidate := range r.candidates(filepath.FromSlash(name)) {
			if info, err := r.in.Stat(candidate); err != nil || !info.Mode().IsRegular() {
				continue
			}
			if f, err := r.in.Open(candidate); err == nil {
				return f, nil
			}
		}
	}
	return nil, errNoSource
}

// candidates returns the places of a file below a root, the likeliest first.
func (r *sourceRoot) candidates(name string) (list []string) {
	if !r.named && filepath.Ext(name) != ".go" {
		return nil
	}
	if !filepath.IsAbs(name) {
		list = append(list, name)
	} else if inside, err := filepath.Rel(r.dir, name); err == nil && filepath.IsLocal(inside) {
		list = append(list, inside)
	}
	for rest := name; r.named; {
		_, end, more := strings.Cut(rest, string(filepath.Separator))
		if !more {
			break
		}
		list, rest = append(list, end), end
	}
	return list
}

// lines reads the lines from first to last, counted from 1, and says whether the file was written after the recording began, so
// that they may be others than those that ran.
func (s *sources) lines(name string, first, last int) (lines []string, changed bool, err error) {
	f, err := s.open(name)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !s.start.IsZero() {
		changed = info.ModTime().After(s.start)
	}
	lines = []string{}
	in := bufio.NewScanner(io.LimitReader(f, maxSourceFile))
	in.Buffer(nil, 1<<20)
	for n := 1; n <= last && in.Scan(); n++ {
		if n >= first {
			text := strings.ToValidUTF8(in.Text(), "\ufffd")
			if len(text) > maxSourceLine {
				text = strings.ToValidUTF8(text[:maxSourceLine], "") + " …"
			}
			lines = append(lines, text)
		}
	}
	return lines, changed, nil
}

// missing is the answer where there is no source: that is nothing wrong with the question.
type missing struct {
	Error string `json:"error"`
}

// source answers with the lines around a call path's call or a region.
func (a *api) source(q *question) (any, error) {
	p, r := q.path(), q.region()
	if (p == nil) == (r == nil) {
		q.fail("either a call path or a region")
	}
	if err := q.only("path", "region"); err != nil {
		return nil, err
	}
	file, line, region := "", -1, r
	if p != nil {
		file, line, region = p.Module, p.Line, p.Region
	}
	if file == "" {
		file = region.Module
	}
	if line <= 0 {
		line = region.Begin
	}
	begin, end := line, line
	if region.Module == file && region.Begin > 0 {
		begin, end = region.Begin, max(region.Begin, region.End)
	}
	if file == "" || line <= 0 {
		return missing{"the report does not say where this is in the source"}, nil
	}
	first := max(1, line-a.around)
	lines, changed, err := a.sources.lines(file, first, max(line+a.around, min(end, line+4*a.around)))
	if err != nil {
		return missing{file + ": " + err.Error()}, nil
	}
	return struct {
		File  string   `json:"file"`
		Line  int      `json:"line"`
		Begin int      `json:"begin"`
		End   int      `json:"end"`
		First int      `json:"first"`
		Lines []string `json:"lines"`
		// Changed says that the file was written after the recording began.
		Changed bool `json:"changed"`
	}{file, line, begin, end, first, lines, changed}, nil
}
