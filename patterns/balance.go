package patterns

import (
	"tracerec/analyzer"
	"tracerec/metric"
)

// The analyzer computes these from the finished severities and the critical path.
var (
	Imbalance = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.Imbalance, Title: "Imbalance",
		Description: "How unevenly the execution of a call path is spread over the goroutines of a group that lived at the same time. It shows unequal work, which " +
			"makes others wait elsewhere.",
		Formula: "overload + underload: |execution of the call path on the goroutine − its mean over the group|, for groups of several goroutines of which at least one in 256 came to the call path; goroutines of a group that lived for less than half of their lives with those before are another group; tests are not compared with each other. Threads of MPI and OpenMP programs are compared " +
			"with all others in parallel regions, elsewhere the first of each process with those of the others",
		Advice: "Divide the work of this call path by its cost instead of by count, in smaller pieces, or let the goroutines take pieces from a " +
			"common queue.",
	}}
	Overload = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.Overload, Title: "Overload", Parent: metric.Imbalance,
		Description: "Execution beyond the mean of the group: these goroutines had more to do than the others.",
		Formula:     "execution of the call path on the goroutine − its mean over the group, when positive",
	}}
	Underload = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.Underload, Title: "Underload", Parent: metric.Imbalance,
		Description: "Execution short of the mean of the group: these goroutines had less to do than the others, or nothing.",
		Formula:     "mean over the group of the execution of the call path − that on the goroutine, when positive",
	}}
	SingleParticipant = &analyzer.Pattern{Paradigm: analyzer.Processes, Metric: metric.Metric{
		Name: metric.SingleParticipant, Title: "Single participant", Parent: metric.Overload,
		Description: "Overload where only one of the threads that are compared was in the call path at all: what it did there, none of the others helped with.",
		Formula:     "overload of the only thread that came to the call path; in programs with parallel regions, only in these",
		Advice:      "If the others wait meanwhile, divide this among them, or let it be done while they do something else.",
	}}
	NonParticipation = &analyzer.Pattern{Paradigm: analyzer.Processes, Metric: metric.Metric{
		Name: metric.NonParticipation, Title: "Non-participation", Parent: metric.Underload,
		Description: "Underload of threads that were never in the call path, while others with which they are compared were.",
		Formula:     "mean of the execution of the call path, on those that never came to it; in programs with parallel regions, only in these",
	}}
	Singularity = &analyzer.Pattern{Paradigm: analyzer.Processes, Metric: metric.Metric{
		Name: metric.Singularity, Title: "Singularity", Parent: metric.NonParticipation,
		Description: "Non-participation where only one of the threads that are compared was in the call path.",
		Formula:     "imbalance_below_bypass where there is a single participant",
	}}
	CriticalPath = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.CriticalPath, Title: "Critical path",
		Description: "The chain of activities that determined how long the program ran. It is followed backwards from the end of the " +
			"program; where its goroutine waited, it continues on the one that ended the wait. Only what shortens it makes the " +
			"program faster.",
		Formula: "time of the call path on the goroutine while the critical path ran there; its sum is the length of the run",
		Advice:  "Optimise the call paths with the largest share of it first: a second saved there is a second saved in all.",
	}}
	CriticalPathImbalance = &analyzer.Pattern{Metric: metric.Metric{
		Name: metric.CriticalPathImbalance, Title: "Critical path imbalance",
		Description: "How much more of a call path is on the critical path than a goroutine executes of it on average: what perfect balance " +
			"could save there.",
		Formula: "critical_path of the call path − mean over the goroutines in it of their time there without waiting, when positive; on the goroutine with most of the critical path there",
		Advice:  "Spread this call path over more goroutines, or give the goroutine that is on the critical path less of it.",
	}}
)
