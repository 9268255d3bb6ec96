// Package algebra makes reports of reports: differences, unions, means, parts. Every result is a report again, so a difference of
// means can be cut, stored, looked at, and compared with another.
//
// # What is the same in two reports
//
// Metrics are the same if their unique names are.
//
// Call paths are the same if the callers are, and region (name, file, lines), call site (file, line) and parameters. Between runs
// of one binary nothing else is needed. The two reports of a difference may be of a program that was edited in between, and perhaps
// moved: Diff matches files by the longest common end of their paths, and, among the calls of one region by one caller, those of
// which both reports have equally many, in the order of their lines. If a call was added or removed, so that the numbers differ,
// only calls on unchanged lines are matched; the rest vanished or is new, and a note says so. What the caller needs in all is right
// in any case.
//
// Processes are the same if type and rank are, threads within them too; nodes, if the same processes run on them. If processes lie
// on other nodes in one report than in another, all are shown on one node. Goroutines have no identity that outlives a run:
// processes of goroutines are the same if they are the n-th of the same program, groups if name and creating call path are, and
// goroutines if their number in the group is: worker[3]. In a difference, two programs are the same whatever they are called, and
// so are groups of the same name started elsewhere, if there are no others. Those of a group that not every report has become one location of it,
// worker[others]. Sums are exact in any case.
//
// # Runs and noise
//
// A report made of several keeps, in a member of its own, what each run spent at every metric and call path, all locations
// together. Spread gives the band of values from it. The noise of a mean of n runs with standard deviation s is the half width of
// the band in which the true mean lies with 95 %:
//
//	t(n−1)·s/√n
//
// and that of the difference of two means, with the variances of both sides pooled,
//
//	t(n+m−2)·s·√(1/n+1/m), where s² = ((n−1)·s₁² + (m−1)·s₂²)/(n+m−2)
//
// t(f) being the quantile of Student's distribution for f degrees of freedom that is passed by 2.5 %. A side of one run has no
// variance of its own and so takes the other's. If both sides are single runs, nothing is known about noise, and said so. Of a
// hundred values that did not change, five are beyond their noise by chance.
//
// # Laws
//
//	Diff(a, a) is zero everywhere
//	Diff(a, b) is −Diff(b, a)
//	Merge and Mean may take reports in any order, and in any grouping
//	Mean(a, a, …) and Merge(a, a, …) are a
//	the total of Mean is the mean of the totals, the total of Diff is the difference of the totals
//	Cut that prunes keeps all values that include calls; Cut to a root has the root's value as its total
//
// They hold exactly for integers, and up to rounding for values with a fraction. For metrics that hold least or greatest
// values, a value of zero is that of nothing.
package algebra
