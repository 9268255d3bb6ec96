package patterns

import (
	"tracerec/analyzer"
	"tracerec/metric"
)

// costing returns a metric of what call paths cost all threads together.
func costing(name, parent, title, description, formula, advice string) *analyzer.Pattern {
	return &analyzer.Pattern{Paradigm: analyzer.Processes, Metric: metric.Metric{Name: name, Title: title, Parent: parent,
		Description: description, Formula: formula, Advice: advice}}
}

// Impact lists the metrics that divide what all threads spend, working and waiting, among the call paths that cause it.
var Impact = []*analyzer.Pattern{
	costing(metric.Impact, "", "Performance impact", "What the program costs, its length times the number of threads, divided among the call paths that cause it: working in them, or waiting because of "+
		"them.", "sum of its parts", ""),
	costing(metric.CriticalImpact, metric.Impact, "Critical-path activities", "What the call paths on the critical path cost: the time that threads spend in them, and the time that threads wait because "+
		"others have more of them.", "sum of its parts", ""),
	costing(metric.CriticalActivities, metric.CriticalImpact, "Activity impact", "What threads spend in a call path that is on the critical path, up to what the path has of it.",
		"min(time of the call path on the thread without waiting, time of the call path on the critical path)",
		"Make this call path itself faster: the program takes as long as the critical path, and each thread does as much of it."),
	costing(metric.ImbalanceImpact, metric.CriticalImpact, "Imbalance impact", "What threads wait because the critical path has more of a call path than they have: it is charged where the path is, that is, to those "+
		"who have too much.",
		"for each thread, (length of the critical path − its time without waiting), divided among call paths by what it has less of them than the path; summed over threads, and divided among those on which "+
			"the path is, by how long it is there", "Spread the work of this call path over more threads, or take it from the ones that are charged."),
	costing(metric.IntraPartition, metric.ImbalanceImpact, "Within partitions", "The part of the imbalance impact that is due to threads that do the same work, but not as much of it.",
		"critical_imbalance_impact − inter_partition_imbalance", "Divide the work of this call path evenly among those who share it."),
	costing(metric.InterPartition, metric.ImbalanceImpact, "Between partitions", "The part of the imbalance impact that is due to threads that do other work: they would wait even if they had as much as the "+
		"critical path of all that they do.",
		"likewise, of what threads lack if they had as much as the critical path of all call paths that they are in, divided among those that they are not in",
		"Give the part of the program that this call path belongs to more threads or processes, and the others fewer."),
	costing(metric.NonCriticalActivities, metric.Impact, "Non-critical activities", "What threads spend in a call path beyond what the critical path has of it: it has no influence on how long the program takes.",
		"time of the call path on the thread without waiting − time of the call path on the critical path, when positive", "Leave it alone: making it faster makes the program no faster."),
}
