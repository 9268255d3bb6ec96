package algebra

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"tracerec/report/cube"
)

// unitedPaths is a call tree in the making.
type unitedPaths struct {
	cube    *cube.Cube
	regions map[regionKey]*cube.Region
}

// adder adds the call tree of one input.
type adder struct {
	*unitedPaths
	files  map[string]string             // names of source files in the union; nil: everything must be exactly the same
	mapped map[*cube.CallPath]*sibling   // what became of its call paths
	same   map[*cube.Region]*cube.Region // regions that are one of the union because calls of them are
	notes  *notes
}

// sibling is a call path of the union with its children, to find them by what they are.
type sibling struct {
	path  *cube.CallPath
	below *siblings
}

type siblings struct {
	list  []*sibling
	byKey map[pathKey]*sibling
}

// regionKey is what makes regions of several reports the same.
type regionKey struct {
	name, module string
	begin, end   int
}

// pathKey is what makes calls by the same caller the same. Where one report has several such calls they are numbered.
type pathKey struct {
	region regionKey
	module string
	line   int
	params string
	number int
}

func keyOf(r *cube.Region) regionKey { return regionKey{r.Name, r.Module, r.Begin, r.End} }

// keysOf returns the keys of calls by one caller.
func keysOf(list []*cube.CallPath) []pathKey {
	keys := make([]pathKey, len(list))
	seen := make(map[pathKey]int, len(list))
	for i, p := range list {
		k := pathKey{region: keyOf(p.Region), module: p.Module, line: p.Line, params: paramsOf(p)}
		keys[i] = k
		keys[i].number = seen[k]
		seen[k]++
	}
	return keys
}

func paramsOf(p *cube.CallPath) string {
	if len(p.Params) == 0 {
		return ""
	}
	var b strings.Builder
	for _, x := range p.Params {
		b.WriteString(x.Type + "\x00" + x.Key + "\x00" + x.Text + "\x00")
	}
	return b.String()
}

// unitePaths makes the union of the call trees.
func (u *union) unitePaths() {
	t := &unitedPaths{cube: u.cube, regions: map[regionKey]*cube.Region{}}
	roots := &siblings{}
	var adders []*adder
	for i, in := range u.inputs {
		a := &adder{t, nil, make(map[*cube.CallPath]*sibling, len(in.Cube.Paths())), map[*cube.Region]*cube.Region{}, &u.notes}
		if u.moved && i > 0 {
			a.files = matchFiles(u.inputs[0].Cube, in.Cube)
		}
		a.add(roots, in.Cube.Roots)
		for _, r := range in.Cube.Regions {
			a.region(r)
		}
		adders = append(adders, a)
	}
	u.cube.Roots = roots.number(new(int))
	for i, in := range u.inputs {
		in.paths = make([]int32, len(in.Cube.Paths()))
		for p, x := range adders[i].mapped {
			in.paths[p.Index()] = int32(x.path.ID)
		}
	}
}

// number gives all call paths their numbers, in document order, and connects them.
func (s *siblings) number(next *int) []*cube.CallPath {
	var list []*cube.CallPath
	for _, x := range s.list {
		x.path.ID = *next
		*next++
		x.path.Children = x.below.number(next)
		list = append(list, x.path)
	}
	return list
}

// add adds the calls by one caller, and all below, to those that the union has.
func (a *adder) add(into *siblings, list []*cube.CallPath) {
	keys := keysOf(list)
	found := make([]*sibling, len(list))
	if a.files != nil {
		a.matchMoved(into.list, list, found)
	} else {
		for i, k := range keys {
			found[i] = into.byKey[k]
		}
	}
	for i, p := range list {
		x := found[i]
		if x == nil {
			x = &sibling{below: &siblings{}, path: &cube.CallPath{Region: a.region(p.Region), Module: a.file(p.Module), Line: p.Line,
				Params: slices.Clone(p.Params), Attrs: slices.Clone(p.Attrs)}}
			into.list = append(into.list, x)
			if into.byKey == nil {
				into.byKey = map[pathKey]*sibling{}
			}
			into.byKey[keys[i]] = x
		} else if a.same[p.Region] == nil {
			a.same[p.Region] = x.path.Region
		}
		a.mapped[p] = x
		a.add(x.below, p.Children)
	}
}

// file returns the name of a source file in the union.
func (a *adder) file(name string) string {
	if to, ok := a.files[name]; ok {
		return to
	}
	return name
}

// region returns the region of the union that stands for one of the input.
func (a *adder) region(r *cube.Region) *cube.Region {
	if x := a.same[r]; x != nil {
		return x
	}
	k := keyOf(r)
	k.module = a.file(k.module)
	if x := a.regions[k]; x != nil {
		return x
	}
	x := *r
	x.ID, x.Module, x.Attrs = len(a.cube.Regions), k.module, slices.Clone(r.Attrs)
	a.regions[k] = &x
	a.cube.Regions = append(a.cube.Regions, &x)
	return &x
}

// looseKey is what stays of a call when the source is edited: lines move.
type looseKey struct {
	name, file, site, params string
}

// matchMoved finds for each call in list the one in have that it is, if that is plain: a root if there is but one on either side;
// where both have equally many calls of one region in one file they are the same in the order of their lines; else those that did
// not move are.
func (a *adder) matchMoved(have []*sibling, list []*cube.CallPath, found []*sibling) {
	type side struct{ old, new []int }
	sides := map[looseKey]*side{}
	var order []looseKey
	get := func(k looseKey) *side {
		if sides[k] == nil {
			sides[k] = &side{}
			order = append(order, k)
		}
		return sides[k]
	}
	if len(have) == 1 && len(list) == 1 && list[0].Parent == nil {
		found[0] = have[0] // the program, whatever it is called
		return
	}
	for i, x := range have {
		s := get(looseKey{looseName(x.path.Region), x.path.Region.Module, x.path.Module, paramsOf(x.path)})
		s.old = append(s.old, i)
	}
	for i, p := range list {
		s := get(looseKey{looseName(p.Region), a.file(p.Region.Module), a.file(p.Module), paramsOf(p)})
		s.new = append(s.new, i)
	}
	for _, k := range order {
		s := sides[k]
		if len(s.old) == len(s.new) {
			slices.SortStableFunc(s.old, func(i, j int) int { return byLines(have[i].path, have[j].path) })
			slices.SortStableFunc(s.new, func(i, j int) int { return byLines(list[i], list[j]) })
			for i := range s.old {
				found[s.new[i]] = have[s.old[i]]
			}
			continue
		}
		left := matchUnmoved(have, list, s.old, s.new, found)
		if left > 0 && len(s.old) > 0 && len(s.new) > 0 {
			a.notes.add("%s in %s is called from %d places in one report and from %d in the other: those on other lines count as new, those gone as vanished",
				k.name, path.Base(k.file), len(s.new), len(s.old))
		}
	}
}

var nameLine = regexp.MustCompile(`:\d+$`)

// looseName returns the name of a region without the line that some tools put behind it.
func looseName(r *cube.Region) string {
	if n := len(r.Name); n == 0 || r.Name[n-1] < '0' || r.Name[n-1] > '9' {
		return r.Name
	}
	return nameLine.ReplaceAllString(r.Name, "")
}

func byLines(a, b *cube.CallPath) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Region.Begin, b.Region.Begin), cmp.Compare(a.Region.End, b.Region.End))
}

// matchUnmoved pairs calls whose lines are all the same, and returns how many of the new ones are left.
func matchUnmoved(have []*sibling, list []*cube.CallPath, old, new []int, found []*sibling) int {
	taken := map[int]bool{}
	left := 0
	for _, j := range new {
		i := slices.IndexFunc(old, func(i int) bool { return !taken[i] && byLines(have[i].path, list[j]) == 0 })
		if i < 0 {
			left++
			continue
		}
		taken[old[i]] = true
		found[j] = have[old[i]]
	}
	return left
}

// matchFiles finds for each source file of b the one of a that it is: that of the same name, or, where the program lies elsewhere,
// that with which it has the longest end of the path in common, if that holds for either of them, and for no other.
func matchFiles(a, b *cube.Cube) map[string]string {
	inA, inB := filesOf(a), filesOf(b)
	toB, toA := nearest(inA, inB), nearest(inB, inA)
	files := map[string]string{}
	for f, g := range toA {
		if toB[g] == f {
			files[f] = g
		}
	}
	return files
}

// nearest finds for each file that others do not have the one of those with which it has the longest end of the path in common, if
// there is but one.
func nearest(files, others []string) map[string]string {
	byBase := map[string][]string{}
	for _, f := range others {
		if _, ok := slices.BinarySearch(files, f); !ok {
			byBase[path.Base(f)] = append(byBase[path.Base(f)], f)
		}
	}
	found := map[string]string{}
	for _, f := range files {
		if _, ok := slices.BinarySearch(others, f); ok {
			continue
		}
		best, length, several := "", 0, false
		for _, g := range byBase[path.Base(f)] {
			switch n := commonEnd(f, g); {
			case n > length:
				best, length, several = g, n, false
			case n == length:
				several = true
			}
		}
		if best != "" && !several {
			found[f] = best
		}
	}
	return found
}

// filesOf returns the source files that a cube names, sorted.
func filesOf(c *cube.Cube) []string {
	var list []string
	for _, r := range c.Regions {
		list = append(list, r.Module)
	}
	for _, p := range c.Paths() {
		list = append(list, p.Module)
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(f string) bool { return f == "" })
}

// commonEnd returns how many names at the end of two paths are the same.
func commonEnd(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	n := 0
	for n < len(x) && n < len(y) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}
