package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"tracerec/internal/readable"
	"tracerec/metric"
	"tracerec/trace/wire"
)

// TextOptions are choices about a text report.
type TextOptions struct {
	Top   int    // at most so many findings and rows of each list; 0 is 5
	Color bool   // with terminal colours
	Name  string // what the user calls the input; the title if it does not tell its program, "" for none
}

// Text writes the report a person reads, 80 columns wide: what was measured and what is wrong with the
// measurement, where the time went, then what to do first.
func Text(w io.Writer, e *Experiment, o TextOptions) error {
	p := newPage(e, o)
	p.header()
	p.requests()
	p.timeTree()
	suspected, idle := p.neverEnded()
	p.stuck(suspected)
	p.findings()
	p.resting(idle)
	p.criticalPath()
	p.causes()
	p.imbalance()
	p.instances()
	p.samples()
	p.properties()
	p.counters()
	p.blank()
	p.styledPara(dim, 0, "", "expert patterns NAME explains a metric.")
	_, err := w.Write(p.out.Bytes())
	return err
}

// Brief writes the verdict, what makes all waiting longer, and the first finding, indented. That package testing waits for a test is told only if it matters.
func Brief(w io.Writer, e *Experiment, o TextOptions) error {
	const indent = 2
	p := newPage(e, o)
	suspected, _ := p.neverEnded()
	p.warnings(": " + p.waitingIn(suspected, 3))
	switch {
	case e.Verdict.Text != "":
		p.para(indent, "", e.Verdict.Text)
	case len(e.Findings) == 0:
		p.para(indent, "", "No wait states were found.")
	}
	if r := e.Ready(); r != nil && e.Verdict.Metric != metric.Ready {
		p.para(indent, "", r.Text)
	}
	if text, _ := e.Collector(); text != "" {
		p.para(indent, "", text)
	}
	if i := slices.IndexFunc(e.Findings, func(f Finding) bool { return e.leaf(f.Path).forTests() == 0 || 100*f.Critical >= e.Header.Focus }); i >= 0 {
		p.para(indent, "1  ", p.headline(&e.Findings[i])+": "+p.sentence(&e.Findings[i]))
	}
	_, err := w.Write(p.out.Bytes())
	return err
}

// CountersText writes the part of Text that says what was made of counters, for a report made of several: package explain says
// the rest.
func CountersText(w io.Writer, e *Experiment, o TextOptions) error {
	p := newPage(e, o)
	p.properties()
	p.counters()
	_, err := w.Write(p.out.Bytes())
	return err
}

// newPage returns an empty text.
func newPage(e *Experiment, o TextOptions) *page {
	if o.Top <= 0 {
		o.Top = 5
	}
	return &page{e: e, top: o.Top, color: o.Color, input: o.Name, files: e.shortFiles(), said: map[string]int{}}
}

// page is a text report under construction. Lines are laid out without colours first, because an escape
// sequence takes bytes but no columns.
type page struct {
	out   bytes.Buffer
	e     *Experiment
	top   int
	color bool
	input string // what the user calls it
	files map[string]string
	roots []int32             // by call path, see root
	cut   map[string][]string // see cutNames
	said  map[string]int      // advice: number of the finding that gave it
	time  []Cell              // of all goroutines, once it was asked for

	ratioSums *Sums
}

// style is an SGR escape parameter.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	yellow style = "33"
	cyan   style = "36"
)

// paint adds a style to text whose layout is done.
func (p *page) paint(st style, s string) string {
	if !p.color || st == plain || strings.TrimSpace(s) == "" {
		return s
	}
	return "\x1b[" + string(st) + "m" + s + "\x1b[0m"
}

func (p *page) blank() { p.out.WriteByte('\n') }

// line ends a line made of painted parts; widths have been seen to by the caller.
func (p *page) line(parts ...string) {
	p.out.WriteString(readable.Loose(strings.TrimRight(strings.Join(parts, ""), " ")))
	p.out.WriteByte('\n')
}

// title starts a section.
func (p *page) title(s, remark string) {
	p.blank()
	s = elide(s, pageWidth)
	p.line(p.paint(bold, s), p.paint(dim, right(remark, pageWidth-width(s))))
}

// para writes wrapped text. mark stands before its first line, at the given indent.
func (p *page) para(indent int, mark, text string) {
	p.styledPara(plain, indent, mark, text)
}

func (p *page) styledPara(st style, indent int, mark, text string) {
	for _, l := range readable.Hang(strings.Repeat(" ", indent)+mark, clean(text), pageWidth) {
		p.line(p.paint(st, l))
	}
}

// more says that a list was cut at the number of rows asked for.
func (p *page) more(shown, all int, what string) {
	if all > shown {
		p.line(p.paint(dim, fmt.Sprintf("    … and %s (--top %d shows all)", count(int64(all-shown), "more "+what), all)))
	}
}

// where is the place of a region in source, "" if unknown.
func (p *page) where(r Region) string {
	if r.File == "" {
		return ""
	}
	return readable.Place(p.files[r.File], r.Line)
}

// path lays out a call path and the place of its leaf in w columns.
func (p *page) path(path uint32, w int) string {
	names := p.regionNames(path)
	place := elide(p.where(p.e.leaf(path)), w/2)
	if place == "" {
		return left(elidePath(names, w), w)
	}
	return left(elidePath(names, w-width(place)-1), w-width(place)) + place
}

// regionNames returns what ends does, as they are written.
func (p *page) regionNames(path uint32) []string {
	names := p.ends(path)
	for i := range names {
		names[i] = regionName(names[i])
	}
	return names
}

// ends returns the names of the regions of a call path, from the root. Of a deep one it leaves out some in the middle, which
// no line has room for.
func (p *page) ends(path uint32) []string {
	const most = pageWidth
	var names []string
	i := int32(path)
	for ; i >= 0 && len(names) < most; i = p.e.Paths[i].Parent {
		names = append(names, p.e.Regions[p.e.Paths[i].Region].Name)
	}
	if i >= 0 {
		names = append(names, p.e.Regions[p.e.Paths[p.root(i)].Region].Name)
	}
	slices.Reverse(names)
	return names
}

// root returns the root of a call path. Roots are found once for all that lie on the way.
func (p *page) root(path int32) int32 {
	if p.roots == nil {
		p.roots = make([]int32, len(p.e.Paths))
		for i, c := range p.e.Paths { // parents come first
			if p.roots[i] = int32(i); c.Parent >= 0 {
				p.roots[i] = p.roots[c.Parent]
			}
		}
	}
	return p.roots[path]
}

// nameWidth is the width of a name within a sentence, and placeWidth that of a place in the source. Names are cut as little as a line allows: people look for them, or give them to go test.
const nameWidth, placeWidth = 56, 36

// brief is a name within a sentence. Where it must be cut, what differs from other names of the experiment stays.
func (p *page) brief(name string) string {
	name = clean(name)
	if width(name) <= nameWidth {
		return name
	}
	if p.cut == nil {
		p.cut = p.e.cutNames()
	}
	return readable.ElideUnlike(name, p.cut[elide(name, nameWidth)], nameWidth)
}

// cutNames returns the names of goroutines, their groups and regions that must be cut in sentences, by what they were then, each list in order.
func (e *Experiment) cutNames() map[string][]string {
	cut := map[string][]string{}
	add := func(name string) {
		if name = goName(name); width(name) > nameWidth {
			cut[elide(name, nameWidth)] = append(cut[elide(name, nameWidth)], name)
		}
	}
	for i := range e.Locations {
		add(e.Locations[i].Name)
	}
	for i := range e.Groups {
		add(e.Groups[i].Name)
	}
	for i := range e.Regions {
		add(e.Regions[i].Name)
	}
	for short, names := range cut {
		slices.Sort(names)
		cut[short] = slices.Compact(names)
	}
	return cut
}

// name of a location within a sentence.
func (p *page) name(l uint32) string {
	if x := &p.e.Locations[l]; isUnnamed(x.Name) && x.Count <= 1 {
		return fmt.Sprintf("%s"+nbsp+"%d", p.e.Header.worker(), x.GoID)
	} else if x.Count > 1 { // none of them is known by itself
		return glue(p.brief(goName(p.e.Groups[x.Group].Name))) + nbsp + "×" + grouped(int64(x.Count))
	}
	return glue(p.brief(goName(p.e.Locations[l].Name)))
}

// unnamed is the name of goroutines that instrument.Go did not start and that were in no region, and of the
// region for the time outside all regions; of threads of other programs, that is outside.
const (
	unnamed = "(goroutine)"
	outside = "(outside regions)"
)

// notRecorded is the name of the region for parts of the critical path in which nothing is recorded of the goroutine that it is on.
const notRecorded = "(not recorded)"

// Names of operations about which sentences say more than of others, as in wire.Specs.
const (
	sendName, recvName, selectName, unlockName = "send", "recv", "select", "unlock"
	condWaitName, sleepName, lockName          = "condwait", "sleep", "lock"
)

// network says whether an operation waits for the network.
func (r Region) network() bool { return r.Operation && r.Name == wire.Network || r.accepts() }

// accepts says whether it waits for a connection that comes in.
func (r Region) accepts() bool { return r.Operation && r.Name == wire.Accept }

// outward says whether an operation waits for the network, or for a pipe or the like.
func (r Region) outward() bool { return r.network() || r.Operation && r.Name == wire.Pipe }

// forever says whether an operation is a select without cases.
func (r Region) forever() bool { return r.Operation && r.Name == wire.Forever }

// sleeps says whether an operation is a sleep.
func (r Region) sleeps() bool {
	return r.Operation && (r.Name == sleepName || r.timed() || r.File == "" && (r.Name == wire.Idle || r.Name == wire.LastSleep))
}

// timed says whether it is the sleep of a goroutine until its timer starts it.
func (r Region) timed() bool { return r.Operation && r.Name == wire.Timer && r.File == "" }

// locks says whether an operation takes a lock.
func (r Region) locks() bool {
	return r.Operation && (r.Name == lockName || r.Name == "r"+lockName || r.Name == wire.FDLock)
}

// forTests is 1 for operations by which package testing waits for tests, or lets them wait until others have ended, as it is meant to do; else 0.
func (r Region) forTests() int {
	if r.Operation && strings.HasPrefix(r.Func, "testing.") {
		return 1
	}
	return 0
}

// isUnnamed tells whether the name of a location, which may end in a number, says nothing.
func isUnnamed(name string) bool { return strings.HasPrefix(name, unnamed) || name == outside }

// regionName returns the name of a region for reading.
func regionName(name string) string {
	switch name {
	case "":
		return "(unnamed)"
	}
	return goName(name)
}

// at names a call path's leaf within a sentence: "recv at halo.go:120".
func (p *page) at(path uint32) string {
	r := p.e.leaf(path)
	s := glue(p.brief(regionName(r.Name)))
	if place := p.where(r); place != "" {
		s += " at" + nbsp + elide(place, placeWidth)
	}
	return s
}

// header says what was measured and whatever makes it less than exact.
func (p *page) header() {
	h := &p.e.Header
	p.measured()
	p.missing()
	if text := h.together(); text != "" {
		p.styledPara(plain, 0, "", text)
	}
	p.styledPara(dim, 0, "", p.groups())
	p.topologies()
	if v := p.e.Verdict; v.Text != "" {
		p.blank()
		p.styledPara(bold, 0, "", v.Text)
	}
	if h.RecordingCost > 0 && h.Events > 0 && h.RecordingCost >= h.Time/100 && !h.costly() {
		p.styledPara(dim, 0, "", fmt.Sprintf("recording cost at least %s of the program's time (%s × %d ns)",
			seconds(h.RecordingCost), count(int64(h.Events), "event"), h.RecordingCost/int64(h.Events)))
	}
	p.warnings(", see below.")
}

// together says how many processes or windows were recorded, and whose the critical path is; "" if there is but one.
func (h *Header) together() string {
	text, last, path := glue(count(int64(h.Processes), "process")), "the recording of the last one ended", "process "+strconv.Itoa(h.PathPID)
	switch {
	case h.Recordings == 0 && h.Processes <= 1:
		return ""
	case h.Recordings > 0 && h.Processes == 1:
		text, last, path = glue(count(int64(h.Recordings), "recording"))+" of "+path, "the last one ended", "the first"
	case h.Recordings > 0:
		text, last = glue(count(int64(h.Recordings), "recording"))+" of "+text, "the last one ended"
	}
	if h.Span > 0 {
		text += ", " + glue(seconds(h.Span)) + " until " + last
	}
	if h.PathPID > 0 {
		text += "; the critical path is that of " + path
	}
	return text
}

// costly says whether recording took a tenth of the processor time or more.
func (h *Header) costly() bool { return h.CPUTime > 0 && 10*h.RecordingCost >= h.CPUTime }

// ProgramName is the name of a program for people: where the go command put one that it built to run it is of no interest.
func ProgramName(program string) string {
	for dir := range strings.SplitSeq(filepath.Dir(program), "/") {
		if strings.HasPrefix(dir, "go-build") || strings.HasPrefix(dir, "tracerec-build-") {
			return filepath.Base(program)
		}
	}
	return program
}

// measured says which program ran, how long, and how it ended.
func (p *page) measured() {
	h := &p.e.Header
	command := strings.TrimSpace(strings.Join(append([]string{ProgramName(h.Program)}, h.Args...), " "))
	if root := p.e.root(); h.Threads && root != "" {
		command = root
	}
	if command = cmp.Or(command, p.input); command != "" {
		p.line(p.paint(bold, elide(clean(command), pageWidth)))
	}
	facts := []string{seconds(h.Wall) + " wall", count(int64(h.Goroutines-h.Streams), h.worker())}
	if h.Streams > 0 {
		facts = append(facts, count(int64(h.Streams), "GPU stream"))
	}
	facts = append(facts, count(int64(h.Events), "event"))
	if h.Resolution > 0 {
		facts = append(facts, fmt.Sprintf("%d ns resolution", h.Resolution))
	}
	st := plain
	if h.Exit > 0 {
		facts = append(facts, readable.ExitStatus(h.Exit))
		st = red
	}
	for i := range facts {
		facts[i] = glue(facts[i])
	}
	p.styledPara(st, 0, "", strings.Join(facts, " · "))
}

// root returns the region in which all that was recorded lies, "" if there are several.
func (e *Experiment) root() (name string) {
	for i := range e.Paths {
		if r := e.Regions[e.Paths[i].Region].Name; e.Paths[i].Parent < 0 && !strings.HasPrefix(r, "(") {
			if name != "" && name != r {
				return ""
			}
			name = r
		}
	}
	return name
}

// warnings says what makes the numbers less than exact, and that goroutines were still waiting, with what comes behind that.
func (p *page) warnings(where string) {
	const most = 8
	if h := &p.e.Header; h.costly() {
		p.styledPara(yellow, 0, "! ", fmt.Sprintf("recording took at least %s of the processor time that was used (%s × %d ns): what is short and frequent looks longer than it is",
			glue(percent(h.RecordingCost, h.CPUTime)), count(int64(h.Events), "event"), h.RecordingCost/max(int64(h.Events), 1)))
	}
	if held := p.e.Total(p.e.MetricIndex(metric.Overhead)); p.e.Header.Time > 0 && 10*held >= p.e.Header.Time {
		p.styledPara(yellow, 0, "! ", fmt.Sprintf("recording held %ss up for %s of their time (measurement overhead): without it they do, and wait for, other things",
			p.e.Header.worker(), glue(percent(held, p.e.Header.Time))))
	}
	if h := &p.e.Header; p.e.robbed() {
		p.styledPara(yellow, 0, "! ", fmt.Sprintf("other programs had the processors for %s of the time for which %ss ran: that is longer than it was, and so are waits "+
			"for them; measure on a machine that is not shared", glue(percent(p.e.surelyRan()-h.CPUTime, p.e.surelyRan())), h.worker()))
	}
	if text := p.e.unlooked(); text != "" {
		p.styledPara(yellow, 0, "! ", text)
	}
	for i, text := range p.e.Warnings {
		if i == most && len(p.e.Warnings) > most+1 {
			p.styledPara(yellow, 0, "! ", fmt.Sprintf("… and %s (--format json shows all)", count(int64(len(p.e.Warnings)-most), "more warning")))
			break
		}
		p.styledPara(yellow, 0, "! ", text)
	}
	if n := p.suspects(); n > 0 {
		verb := " was"
		if n > 1 {
			verb = " were"
		}
		deadlocks := slices.DeleteFunc(p.deadlocks(), func(text string) bool { return text == p.e.Verdict.Text })
		for _, text := range deadlocks[:min(len(deadlocks), p.top)] {
			p.styledPara(red, 0, "! ", text)
		}
		p.more(p.top, len(deadlocks), "deadlock")
		p.styledPara(yellow, 0, "! ", count(int64(n), p.e.Header.worker())+verb+" still waiting when the trace ended"+where)
	}
}

// groups names the largest groups of goroutines: "worker ×8, main".
func (p *page) groups() string {
	const most = 6
	var order []string
	size := map[string]int64{}
	shown := make([]bool, len(p.e.Groups)) // those that were added up are of the group that they were put into
	for i := range p.e.Locations {
		shown[p.e.Locations[i].Group] = true
	}
	for i, g := range p.e.Groups {
		if !shown[i] {
			continue
		}
		if size[g.Name] == 0 {
			order = append(order, g.Name)
		}
		size[g.Name] += int64(g.Count)
	}
	sort.SliceStable(order, func(i, j int) bool { return size[order[i]] > size[order[j]] })
	var names []string
	for _, name := range order[:min(len(order), most)] {
		n := size[name]
		remark := ""
		if name == unnamed {
			name, remark = "unnamed", " (not started by instrument.Go)"
			switch {
			case p.e.Header.Threads:
				remark = ""
			case p.e.Header.Lost+p.e.Header.Damaged > 0:
				remark = " (begins not recorded)"
			}
		}
		name = p.brief(goName(name))
		if n > 1 {
			name += " ×" + grouped(n)
		}
		name += remark
		names = append(names, glue(name))
	}
	if n := len(order) - most; n > 0 {
		names = append(names, glue(count(int64(n), "other kind")))
	}
	return strings.Join(names, ", ")
}

// timeTree shows the metrics that divide time, as a tree, and the plain counts below it. Metrics without any
// severity are left out.
func (p *page) timeTree() {
	e := p.e
	p.title("Where the time goes", "")
	p.line(p.paint(dim, left("", 44)+right("time", 9)+right("", 8)+right("of critical path", 19)))
	bars := 10 // columns, the last of which large numbers need for themselves
	if readable.Width(seconds(e.Header.Time)) > 8 {
		bars = 9
	}
	depth := map[string]int{}
	for i := range e.Metrics {
		m := &e.Metrics[i]
		if m.Parent == "" {
			depth[m.Name] = 0
			if m.Name != metric.Time {
				depth[m.Name] = -1
			}
		} else if depth[m.Name] = depth[m.Parent] + 1; depth[m.Parent] < 0 {
			depth[m.Name] = -1
		}
		total := e.Total(i)
		if depth[m.Name] < 0 || total == 0 {
			continue
		}
		st := plain
		if m.Kind == metric.WaitState {
			st = cyan
		}
		row := left(strings.Repeat("  ", depth[m.Name])+clean(m.Title), 33) + " "
		critical := ""
		if c := e.onPath(i); c > 0 {
			critical = number(seconds(c), 10) + number(percent(c, e.Header.Focus), 9)
		}
		p.line(p.paint(st, row), p.paint(yellow, left(bar(total, e.Header.Time, bars), 10)), number(seconds(total), 9),
			number(percent(total, e.Header.Time), 8), p.paint(bold, critical))
	}
	var counts []string
	for _, c := range []struct{ metric, noun string }{
		{metric.Visits, "region visit"}, {metric.Messages, "message"}, {metric.Acquisitions, "lock acquisition"}, {metric.FailedTries, "failed try"}, {metric.CommsSent, "message"},
	} {
		if n := e.Total(e.MetricIndex(c.metric)); n > 0 {
			counts = append(counts, glue(count(n, c.noun)))
		}
	}
	p.running()
	p.styledPara(dim, 0, "", strings.Join(counts, " · "))
	if text := e.locks(); text != "" {
		p.para(0, "", text)
	}
}
