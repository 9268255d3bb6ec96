// Package query answers questions to a report: what a metric amounts to at a call path, in a region, at a part of the
// system, with the values of derived metrics computed and everything added up as the browser, the tables and the limits
// show it.
//
// A Model is made of a cube once (New, or Display, which applies the hierarchy of metrics that a report brings along)
// and may then be asked by any number of goroutines. What is dear to compute is kept, within a limit. Integers stay
// integers, so sums are exact; fractions are added in an order that depends on nothing but the report.
//
// # Selections
//
// A metric is selected with all that is below it in the tree of metrics, or without its visible children (What.Self),
// as an expanded node shows it. A call path or a region is selected inclusive or exclusive of the calls below; a region
// that calls itself counts once. A part of the system always includes its parts, whose values lie at the locations.
//
// # Derived metrics
//
// The expression of a post-derived metric is evaluated once for what is selected, on operands that are sums already, so
// that ratios are right. That of a pre-derived metric is evaluated for each call path and location; the results are then
// added, or combined by the metric's own expression. A metric whose expression cannot be evaluated has an error in
// place of values.
package query
