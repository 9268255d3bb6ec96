// Package query answers questions about a report: the value of a metric at a call path, in a region, or at a part of the
// system. It computes derived metrics and adds values up as the browser, the tables and the limits
// show them.
//
// Make a Model of a cube once (New, or Display, which applies the hierarchy of metrics that a report contains).
// Any number of goroutines may then ask it. It keeps results that are expensive to compute, within a limit. Integers stay
// integers, so their sums have no rounding errors; fractions are added in an order that depends only on the report.
//
// # Selections
//
// A metric is selected with all that is below it in the tree of metrics, or without its visible children (What.Self),
// as an expanded node shows it. A call path or a region is selected inclusive or exclusive of the calls below; a region
// that calls itself counts once. A part of the system always includes its parts, whose values lie at the locations.
//
// # Derived metrics
//
// The expression of a post-derived metric is evaluated once for the whole selection, after its operands were summed, so
// that ratios are right. That of a pre-derived metric is evaluated for each call path and location; the results are then
// added, or combined by the metric's own expression. A metric whose expression cannot be evaluated has an error in
// place of values.
package query
