// Package composite makes hierarchies and ratios of counters, and merges runs that measured different counters into one report.
//
// A run can count few events, so a program is run once for each event set (paper "A holistic hardware counter analysis",
// sections 2.3 and 4). [Merge] takes only measured counters from the reports of the runs. It averages what several of them measured,
// and keeps the spread. Then it derives hierarchies and ratios from the counters of all runs together. So compositions are
// complete even if no single run had all their parts. [Derive] is this second step alone,
// for any report that has counters; [DeriveExperiment] does the same for the result of an analysis.
//
// Runs differ. The report warns where that shows: in call paths that were visited more often in one run than
// in another, counters of several runs that do not agree, and metrics that are less than their parts.
//
// [Compare] puts composite reports of several platforms side by side, as table 1 of the paper does.
package composite
