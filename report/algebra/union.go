package algebra

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"tracerec/report/cube"
	"tracerec/report/cubepl"
	"tracerec/report/query"
)

// union is a cube with the trees of several inputs, without values, and how theirs map to it.
type union struct {
	cube    *cube.Cube
	inputs  []*operand
	units   []int // by column: number of the process
	renamed bool  // nodes with the same processes have other names
	moved   bool  // the inputs may be of a program that was edited in between
	notes   notes
}

// operand is an input with what becomes of its call paths and locations.
type operand struct {
	Input
	paths   []int32    // by index in Paths: index in the union's
	columns []int32    // by column: column of the union
	same    bool       // columns are the union's, one for one
	runs    *cube.Cube // of which the input is the mean; nil: it is one run
	units   []int      // by process of the union: number of the process in the input, -1 if it has none

	byID   map[int]int32           // by number of a call path: what became of it
	totals map[string][]cube.Value // by metric, by call path of the union: values of all locations together

	once sync.Once         // for what follows
	back []int32           // by index in the union's call paths: index in Paths, -1 none
	more map[int32][]int32 // and those that were pruned, whose values are added
}

// notes are what is to be said of a result, each thing once.
type notes []string

func (n *notes) add(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(*n, text) {
		*n = append(*n, text)
	}
}

// unite makes the union of the call trees and of the systems of the inputs. Of what several of them have, names and lines are
// those of the first. If compared, the inputs have the metrics in which they want to be shown, and call paths of the second that are
// not exactly in the first are matched as far as it is plain which is which.
func unite(inputs []Input, compared bool) (*union, error) {
	u := &union{cube: &cube.Cube{}, moved: compared}
	for _, in := range inputs {
		o := &operand{Input: in}
		if err := o.open(compared); err != nil {
			return nil, fmt.Errorf("%s: %w", in.Name, err)
		}
		u.inputs = append(u.inputs, o)
	}
	u.unitePaths()
	u.uniteSystems()
	return u, nil
}

// open finds out whether an input is several runs, as a difference is not, and gives it and them the metrics in which it wants to be
// shown, if that is asked for.
func (in *operand) open(show bool) error {
	runs, err := runsOf(in.Cube)
	if err != nil {
		return err
	}
	if runs != nil && len(runs.System[0].Groups) == 1 {
		in.runs = runs
	}
	spec, ok := query.Embedded(in.Cube)
	if !show || !ok {
		return nil
	}
	if in.Cube, err = query.Remap(in.Cube, spec); err == nil && in.runs != nil {
		in.runs, err = query.Remap(in.runs, spec)
	}
	return err
}

// distinct says that no two locations of the input became one.
func (in *operand) distinct() bool {
	seen := make(map[int32]bool, len(in.columns))
	for _, c := range in.columns {
		if seen[c] {
			return false
		}
		seen[c] = true
	}
	return true
}

// totalsOf returns where the totals of a metric are to be put, whose values are in rows; nil if they are there, or none, or will
// not be needed.
func (in *operand) totalsOf(metric string, rows *cube.Metric, paths int) []cube.Value {
	if in.totals[metric] != nil || in.runs != nil || len(rows.Stored()) == 0 {
		return nil
	}
	if in.totals == nil {
		in.totals = map[string][]cube.Value{}
	}
	in.totals[metric] = make([]cube.Value, paths)
	return in.totals[metric]
}

// finish completes the cube, computes its values, and gives it what else a report has: what is the same in all inputs.
func (u *union) finish(jobs []func() error) error {
	cube.NumberMetrics(u.cube.Metrics)
	if err := u.cube.Complete(); err != nil {
		return err
	}
	portable(u.cube)
	for _, job := range jobs {
		if err := job(); err != nil {
			return err
		}
	}
	first := u.inputs[0].Cube
	u.cube.MetricsTitle, u.cube.ProgramTitle, u.cube.SystemTitle = first.MetricsTitle, first.ProgramTitle, first.SystemTitle
	for _, in := range u.inputs {
		for _, m := range in.Cube.Mirrors {
			if !slices.Contains(u.cube.Mirrors, m) {
				u.cube.Mirrors = append(u.cube.Mirrors, m)
			}
		}
	}
	u.cube.Attrs = slices.DeleteFunc(slices.Clone(first.Attrs), func(a cube.Attr) bool {
		return a.Key == query.DifferenceAttr || slices.ContainsFunc(u.inputs, func(in *operand) bool { return !slices.Contains(in.Cube.Attrs, a) })
	})
	if u.renamed {
		u.notes.add("nodes have other names in one report than in another: those of %s are shown", u.inputs[0].Name)
	}
	if len(u.inputs) > 1 {
		setAttr(&u.cube.Attrs, "trace", "") // it would be that of one run
	}
	if !slices.ContainsFunc(u.inputs, func(in *operand) bool { return !query.Ours(in.Cube) }) {
		setAttr(&u.cube.Attrs, "Creator", cube.ValueOf(first.Attrs, "Creator")) // whatever the versions are
	}
	return u.keepMembers()
}

// portable has the metrics of a new cube computed by expressions that other tools compile.
func portable(c *cube.Cube) {
	for _, m := range c.AllMetrics() {
		for i, x := range m.Expressions {
			m.Expressions[i].Text = cubepl.Portable(x.Text)
		}
	}
}

// keepMembers keeps the files that are the same in all inputs and do not speak of call paths by number, and the hierarchy of metrics.
func (u *union) keepMembers() error {
	if spec := u.hierarchy(); spec != "" {
		u.cube.Members = append(u.cube.Members, cube.MakeMember(query.SpecMember, []byte(spec)))
	}
	dropped := []string{query.SpecMember}
	for _, in := range u.inputs {
		for _, m := range in.Cube.Members {
			if m.Name == runsMember || slices.Contains(dropped, m.Name) || slices.ContainsFunc(u.cube.Members, func(x *cube.Member) bool { return x.Name == m.Name }) {
				continue
			}
			content, err := io.ReadAll(m.Open())
			if err != nil {
				return err
			}
			if byNumber[m.Name] || !u.allHave(m.Name, content) {
				dropped = append(dropped, m.Name)
				continue
			}
			u.cube.Members = append(u.cube.Members, cube.MakeMember(m.Name, content))
		}
	}
	dropped = dropped[1:]
	if slices.Contains(dropped, query.SidecarMember) && !u.moved {
		u.notes.add("it has no findings, and no counts during waits or on the critical path; the reports of the runs have them")
	}
	if dropped = slices.DeleteFunc(dropped, func(name string) bool { return name == query.SidecarMember || name == query.WaitsMember }); len(dropped) > 0 {
		u.notes.add("files in the reports that are about one run are left out: %s", strings.Join(dropped, ", "))
	}
	return nil
}

// hierarchy returns the specification of the metrics in which the inputs want to be shown, the longest if they do not agree, and ""
// if none has one.
func (u *union) hierarchy() string {
	var specs []string
	for _, in := range u.inputs {
		if spec, ok := query.Embedded(in.Cube); ok && !slices.Contains(specs, spec) {
			specs = append(specs, spec)
		}
	}
	if len(specs) == 0 {
		return ""
	}
	if len(specs) > 1 {
		u.notes.add("the reports want to be shown in different hierarchies of metrics: the most detailed one is kept")
	}
	return slices.MaxFunc(specs, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
}

// byNumber are members that refer to call paths and locations of the report by number.
var byNumber = map[string]bool{query.SidecarMember: true, query.WaitsMember: true, "trace.stat": true}

func (u *union) allHave(name string, content []byte) bool {
	for _, in := range u.inputs {
		i := slices.IndexFunc(in.Cube.Members, func(m *cube.Member) bool { return m.Name == name })
		if i < 0 || in.Cube.Members[i].Size() != int64(len(content)) {
			return false
		}
		other, err := io.ReadAll(in.Cube.Members[i].Open())
		if err != nil || !bytes.Equal(other, content) {
			return false
		}
	}
	return true
}
