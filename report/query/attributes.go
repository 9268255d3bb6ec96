package query

import (
	"slices"
	"strings"

	"tracerec/metric"
	"tracerec/report/cube"
)

// Attributes of reports' metrics, by which counters, what is made of them, and what of them is not certain are told.
const (
	UncertainOfAttr = "uncertain_of" // the unique name of the metric that a margin is about, if that is not its parent
	HierarchyAttr   = "hierarchy"    // specification that the metric is derived with; merged reports are derived again
	RatioAttr       = "ratio"        // "true"
	LowAttr         = "low"          // scale of a ratio
	HighAttr        = "high"
	LeastAttr       = "least"
	FormulaAttr     = "formula"
	OperandsAttr    = "operands"     // of a ratio, a JSON object: for each name in the formula the metrics with its value and both margins
	SidesAttr       = "expert:sides" // of the difference of two metrics: their names, first what is subtracted

	// DefinedAttr is the condition, in CubePL, under which a ratio has a value: where it does not hold, for a denominator is too
	// small, there is none. CubePL itself has no absent value, so other tools show 0.
	DefinedAttr = "defined"

	// DifferenceAttr is the attribute of a report that holds the difference of two: what it is of, "B − A".
	DifferenceAttr = "expert:difference"

	OriginAttr = "origin" // of a report of expert: of what kind of recording, in words without an article
)

// Members of reports that say what a cube cannot, of one run: they refer to metrics, call paths and locations by number.
const (
	SidecarMember = "expert.json"  // what was found out
	WaitsMember   = "expert.waits" // who ended each wait
)

// Creator begins the attribute "Creator" of reports that expert made.
const Creator = "expert"

// Ours says that a report was made by expert, and so is about goroutines.
func Ours(c *cube.Cube) bool {
	return strings.HasPrefix(cube.ValueOf(c.Attrs, "Creator")+" ", Creator+" ")
}

// OriginOf says in words of what kind of recording a report is; "" if that is not known.
func OriginOf(c *cube.Cube) string {
	if !Ours(c) {
		return "report of another tool"
	}
	return cube.ValueOf(c.Attrs, OriginAttr)
}

// kindAttrs are the attributes that tell the kinds of metrics.
var kindAttrs = [...]cube.Attr{metric.WaitState: {Key: "wait", Value: "true"}, metric.Counter: {Key: "counter", Value: "true"},
	metric.Incomplete: {Key: "incomplete", Value: "true"}, metric.More: {Key: "uncertain", Value: "true"}, metric.Less: {Key: "uncertain", Value: "less"}}

// KindAttr returns the attribute that tells a kind of metrics; all others of a metric have none with its key.
func KindAttr(k metric.Kind) cube.Attr { return kindAttrs[k] }

// KindOf returns the kind of a metric.
func KindOf(m *cube.Metric) metric.Kind {
	for _, a := range m.Attrs {
		if k := slices.Index(kindAttrs[1:], a); k >= 0 {
			return metric.Kind(k + 1)
		}
	}
	return metric.Plain
}

// IsMargin says that a metric is what of another is uncertain: a bound, that has itself no bounds.
func IsMargin(m *cube.Metric) bool {
	k := KindOf(m)
	return k == metric.More || k == metric.Less
}
