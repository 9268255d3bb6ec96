package analyzer

import (
	"cmp"
	"slices"

	"tracerec/report"
)

// explained is how many findings are told what happened meanwhile. Each costs another look at the chunks concerned.
const explained = 5

// meanwhile says of the first findings what the critical path did on the causers while others waited for
// them: a finding's critical time, by call path.
func (b *builder) meanwhile() {
	for i := range min(explained, len(b.out.Findings)) {
		f := &b.out.Findings[i]
		if f.Critical == 0 {
			return
		}
		times := map[uint32]int64{}
		for _, c := range b.s.retrace(b.during(f)) {
			times[b.rank[c.path]] += c.time
		}
		for path, t := range times {
			if t > 0 {
				f.Meanwhile = append(f.Meanwhile, report.PathTime{Path: path, Time: t})
			}
		}
		slices.SortFunc(f.Meanwhile, func(x, y report.PathTime) int {
			return cmp.Or(-cmp.Compare(x.Time, y.Time), cmp.Compare(x.Path, y.Path))
		})
	}
}

// during returns the part of the critical path that makes up a finding's critical time.
func (b *builder) during(f *report.Finding) *criticalPath {
	p := &criticalPath{begin: b.path.begin, end: b.path.end, stays: map[uint32][]stay{}}
	for k, v := range b.waits.intervals {
		if int(k.finding.metric) == f.Metric && b.rank[k.finding.path] == f.Path && k.finding.group == f.Group {
			p.stays[k.causer] = common(b.path.stays[k.causer], merged(v))
		}
	}
	return p
}

// common returns what ascending stays have in common with ascending intervals.
func common(stays []stay, v []interval) (out []stay) {
	sum := int64(0)
	for len(stays) > 0 && len(v) > 0 {
		from, to := max(stays[0].from, v[0].from), min(stays[0].to, v[0].to)
		if from < to {
			out = append(out, stay{from, to, sum})
			sum += to - from
		}
		if stays[0].to < v[0].to {
			stays = stays[1:]
		} else {
			v = v[1:]
		}
	}
	return out
}
