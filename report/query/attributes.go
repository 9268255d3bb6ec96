package query

// Attributes of reports' metrics, by which counters, what is made of them, and what of them is not certain are told.
const (
	WaitAttr        = "wait"         // "true": a wait state
	CounterAttr     = "counter"      // "true": as it was measured
	UncertainAttr   = "uncertain"    // "true": by how much another metric may be more, because not all could be attributed exactly; or UncertainLess
	UncertainLess   = "less"         // by how much it may be less: values are negative
	UncertainOfAttr = "uncertain_of" // the unique name of the metric that an uncertain one is about, if that is not its parent
	HierarchyAttr   = "hierarchy"    // specification that the metric is derived with; merged reports are derived again
	IncompleteAttr  = "incomplete"   // "true": counters are lacking
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
)
