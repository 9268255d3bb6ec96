// Package algebra makes reports of reports: differences, unions, means, parts. Every result is a report, so you can cut, store and view a
// difference of means, and compare it with another.
//
// # What matches in two reports
//
// Metrics match if their unique names are equal.
//
// Call paths match if their callers match, and region (name, file, lines), call site (file, line) and parameters are equal. For runs
// of one binary, this is enough. In a difference, the program may have been edited between the runs, and
// moved. Diff matches files by the longest common end of their paths. It matches the calls of one region by one caller in the order of their
// lines, if both reports have the same number of them. If a call was added or removed, so that the numbers differ,
// it matches only calls on unchanged lines; the others vanished or are new, and a note says so. The inclusive value of the caller is right
// in any case.
//
// Processes match if type and rank are equal, and so do threads within them. Nodes match if the same processes run on them. If processes run
// on different nodes in two reports, the result has one node for all. Goroutines have no identity beyond a run:
// processes of Go programs match if they are the n-th process of the same program, groups if name and creating call path match, and
// goroutines if their number in the group is equal: worker[3]. In a difference, two programs match whatever their names are, and
// groups of the same name that were started elsewhere match if there are no others. Goroutines of a group that not every report has become one
// location of the group, worker[others]. Sums are right in any case.
//
// # Runs and noise
//
// A report made of several keeps, in a member of its own, what each run spent at every metric and call path, all locations
// together. Spread computes the band of values from it. The noise of the mean of n runs with standard deviation s is half the width of
// its 95 % confidence interval:
//
//	t(n−1)·s/√n
//
// and that of the difference of two means, with the variances of both sides pooled,
//
//	t(n+m−2)·s·√(1/n+1/m), where s² = ((n−1)·s₁² + (m−1)·s₂²)/(n+m−2)
//
// where t(f) is the 97.5 % quantile of Student's distribution with f degrees of freedom. A side of one run has no
// variance, and takes that of the other side. If both sides are single runs, the noise is unknown, and the output says so. Of a
// hundred values that did not change, about five exceed their noise by chance.
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
// They hold exactly for integers, and up to rounding for fractions. In metrics that are minima or maxima, zero stands for
// the absence of a value.
package algebra
