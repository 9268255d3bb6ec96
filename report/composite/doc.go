// Package composite makes hierarchies and ratios of counters, and one report of runs that measured different counters.
//
// A run can count few events, so a program is run once for each set of them (paper "A holistic hardware counter analysis",
// sections 2.3 and 4). [Merge] takes only what was measured from the reports of the runs: what several of them measured is averaged,
// with the spread kept, and hierarchies and ratios are derived of the counters of all runs together, so that compositions are
// complete whose parts no run had all, and it is decided with all data what is not. [Derive] is that second step alone,
// for any report that has counters, [DeriveExperiment] the same for what an analysis has found.
//
// Counters are of different runs, which differ. Where that shows, it is said: call paths that were visited more often in one run than
// in another, counters of several runs that do not agree, and metrics that are less than their parts.
//
// [Compare] puts composite reports of several platforms side by side, as table 1 of the paper does.
package composite
