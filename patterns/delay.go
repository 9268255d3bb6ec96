package patterns

import (
	"slices"

	"tracerec/analyzer"
	"tracerec/metric"
)

// The causes of waits, by what is waited for.
var (
	lateSenderRoots = &analyzer.Roots{Delay: "delay_latesender", Direct: "mpi_wait_direct_latesender", Indirect: "mpi_wait_indirect_latesender",
		Spreading: "mpi_wait_propagating_ls", Terminal: "mpi_wait_terminal_ls"}
	lateReceiverRoots = &analyzer.Roots{Delay: "delay_latereceiver", Direct: "mpi_wait_direct_latereceiver", Indirect: "mpi_wait_indirect_latereceiver",
		Spreading: "mpi_wait_propagating_lr", Terminal: "mpi_wait_terminal_lr"}
	barrierRoots     = rootsOf("delay_barrier", "mpi", "barrier")
	reduceRoots      = rootsOf("delay_n21", "mpi", "n21")
	broadcastRoots   = rootsOf("delay_12n", "mpi", "12n")
	exchangeRoots    = rootsOf("delay_n2n", "mpi", "n2n")
	teamBarrierRoots = rootsOf("delay_ompbarrier", "omp", "barrier")
	idleRoots        = rootsOf("delay_ompidle", "omp", "idle")
	goRoots          = &analyzer.Roots{Delay: "delay_go", Direct: "go_direct", Indirect: metric.IndirectWait, Spreading: metric.Propagating, Terminal: "go_terminal"}
)

// rootsOf returns the metrics of the causes of waits where several meet.
func rootsOf(delay, paradigm, kind string) *analyzer.Roots {
	return &analyzer.Roots{Delay: delay, Direct: paradigm + "_direct_" + kind, Indirect: paradigm + "_indirect_" + kind, Spreading: paradigm + "_propagating_" + kind, Terminal: paradigm + "_terminal_" + kind}
}

// meetings are the waits where several meet.
var meetings = []struct {
	of              *analyzer.Roots
	paradigm, waits string
}{
	{barrierRoots, "mpi", "at barriers"}, {reduceRoots, "mpi", "of roots in reductions"}, {broadcastRoots, "mpi", "in broadcasts"}, {exchangeRoots, "mpi", "in N × N"},
	{teamBarrierRoots, "omp", "at barriers of teams"}, {idleRoots, "omp", "of idle threads"},
}

// dividedMeetings returns the metric of a part of these waits, and those of each kind of them.
func dividedMeetings(name, parent, title, description, formula string, part func(*analyzer.Roots) string) []*analyzer.Pattern {
	all := []*analyzer.Pattern{costing(name, parent, title+" waits", "Waits where several meet "+description, "sum of its parts", "")}
	for _, m := range meetings {
		p := costing(part(m.of), name, title+" waits "+m.waits, "Waits "+m.waits+" "+description, formula, "")
		p.Paradigm = m.paradigm
		all = append(all, p)
	}
	return all
}

// roots says what causes the waits at synch points of a kind.
var roots = map[analyzer.PointKind]*analyzer.Roots{
	analyzer.LateSenderRight: lateSenderRoots, analyzer.LateSenderOther: lateSenderRoots, analyzer.LateSenderSame: lateSenderRoots, analyzer.ReceiverCame: lateReceiverRoots,
	analyzer.ReceiverTookOthers: lateReceiverRoots,
	analyzer.ArrivedAtBarrier:   barrierRoots, analyzer.SentToRoot: reduceRoots, analyzer.RootSent: broadcastRoots, analyzer.ArrivedAtExchange: exchangeRoots,
	analyzer.AwaitedAtBarrier: barrierRoots, analyzer.AwaitedByRoot: reduceRoots, analyzer.AwaitedRoot: broadcastRoots, analyzer.AwaitedInExchange: exchangeRoots,
	analyzer.ArrivedAtExplicit: teamBarrierRoots, analyzer.ArrivedAtImplicit: teamBarrierRoots, analyzer.Forked: idleRoots,
}

// What of the excess counts.
const (
	ofMessages = "min(1, wait ÷ (sum of the causer's excess + its own waits))"
	ofMeetings = "wait ÷ (sum of the causer's excess + its own waits)"
	ofIdleness = "1, since who is idle does nothing"
)

// whoMeets says what it is to meet.
func whoMeets(paradigm string) string {
	if paradigm != analyzer.Goroutines {
		return ""
	}
	return ". Goroutines meet where one creates or waits for the other. While one holds a lock, or runs the function of a Once, that another one waits for, everything it does then is excess. " +
		"What is waited for before the causer exists is caused by who creates it"
}

// delayed returns the three metrics of what causes the waits of a kind.
func delayed(paradigm string, r *analyzer.Roots, parent, title, waits, share string) []*analyzer.Pattern {
	advice := "Take work from this call path on the threads that are charged and give it to those that wait. If it is communication, send less or later."
	if paradigm == analyzer.Goroutines {
		advice = "Make this call path faster, or do it earlier, or when nobody waits: under a lock only what needs it; in a pipeline, let several goroutines do it."
	}
	of := func(name, parent, title, description, formula string) *analyzer.Pattern {
		return &analyzer.Pattern{Paradigm: paradigm, Cause: true, Metric: metric.Metric{Name: name, Title: title, Parent: parent, Description: description, Formula: formula, Advice: advice}}
	}
	all := r.Delay + "_aggregate"
	return []*analyzer.Pattern{
		of(all, parent, title, "What "+waits+" because of what was done too much here.", "sum of its parts"),
		of(r.Delay, all, title+", short-term", "What "+waits+" at the next meeting, because this call path took longer than it took those who wait.",
			"excess × "+share+"; the excess of a call path is how much more time the causer spent in it than who waits, without waiting, since the two last met"+whoMeets(paradigm)),
		of(r.Delay+metric.LongTerm, all, title+", long-term", "What "+waits+" later, because those who had waited because of this call path came late themselves.",
			"excess × costs of the wait ÷ (sum of the causer's excess + its own waits); the costs of a wait are its part of the later waits that its location causes, and of their costs"),
	}
}

// divided returns a metric of waits for messages, divided by their causes or effects.
func divided(name, parent, title, description, formula string) *analyzer.Pattern {
	return &analyzer.Pattern{Paradigm: "mpi", Metric: metric.Metric{Name: name, Title: title, Parent: parent, Description: description, Formula: formula}}
}

// ofGo returns a metric of the waits of goroutines, divided by their causes or effects.
func ofGo(name, parent, title, description, formula string) *analyzer.Pattern {
	p := costing(name, parent, title, description, formula, "")
	p.Paradigm, p.Cause = analyzer.Goroutines, true
	return p
}

// Delays lists the metrics of the causes of waits.
var Delays = slices.Concat(
	[]*analyzer.Pattern{
		{Cause: true, Metric: metric.Metric{Name: metric.Delays, Title: "Delay costs", Description: "What is waited for, charged to what causes it: a call path that took one thread longer " +
			"than others, who then waited for it.", Formula: "sum of its parts",
			Advice: "Begin with the call path that costs most. It need not be near the waiting: the critical path and the long-term costs show the way."}},
	},
	delayed(analyzer.Goroutines, goRoots, metric.Delays, "Delays of goroutines", "other goroutines waited", ofMessages),
	[]*analyzer.Pattern{
		{Paradigm: "mpi", Metric: metric.Metric{Name: "delay_mpi", Title: "Delays of MPI", Parent: metric.Delays, Description: "Causes of waits in calls of MPI.", Formula: "sum of its parts"}},
		{Paradigm: "mpi", Metric: metric.Metric{Name: "delay_p2p", Title: "Delays of messages", Parent: "delay_mpi", Description: "Causes of waits for messages.", Formula: "sum of its parts"}},
	},
	delayed("mpi", lateSenderRoots, "delay_p2p", "Delays of late senders", "others waited to receive messages", ofMessages),
	delayed("mpi", lateReceiverRoots, "delay_p2p", "Delays of late receivers", "others waited to send messages", ofMessages),
	[]*analyzer.Pattern{{Paradigm: "mpi", Metric: metric.Metric{Name: "delay_collective", Title: "Delays of collectives", Parent: "delay_mpi", Description: "Causes of waits in collective operations.",
		Formula: "sum of its parts"}}},
	delayed("mpi", barrierRoots, "delay_collective", "Delays of barriers", "others waited at barriers", ofMeetings),
	delayed("mpi", reduceRoots, "delay_collective", "Delays of reductions", "roots waited in reductions", ofMeetings),
	delayed("mpi", broadcastRoots, "delay_collective", "Delays of broadcasts", "others waited in broadcasts", ofMeetings),
	delayed("mpi", exchangeRoots, "delay_collective", "Delays of N × N", "others waited in collective operations in which all get something of all", ofMeetings),
	[]*analyzer.Pattern{{Paradigm: "omp", Metric: metric.Metric{Name: "delay_omp", Title: "Delays of OpenMP", Parent: metric.Delays, Description: "Causes of waits of threads in and for teams.", Formula: "sum of its parts"}}},
	delayed("omp", teamBarrierRoots, "delay_omp", "Delays of team barriers", "others waited at barriers of their team", ofMeetings),
	delayed("omp", idleRoots, "delay_omp", "Delays of idle threads", "others were idle", ofIdleness),
	[]*analyzer.Pattern{
		divided("waitstates_propagating_vs_terminal", "", "Waits for messages by effect", "Waits for messages, divided into those that made others wait later and those that did not.", "sum of its parts"),
		divided("mpi_wait_propagating", "waitstates_propagating_vs_terminal", "Propagating waits", "Waits for messages that made others wait for messages later.", "sum of its parts"),
		divided("mpi_wait_propagating_ls", "mpi_wait_propagating", "Propagating late senders", "Late senders that made others wait for messages later.",
			"the largest part of it that causes one later wait for a message: wait × min(1, later wait ÷ (sum of the causer's excess + its waits))"),
		divided("mpi_wait_propagating_lr", "mpi_wait_propagating", "Propagating late receivers", "Late receivers that made others wait for messages later.", "likewise"),
		divided("mpi_wait_terminal", "waitstates_propagating_vs_terminal", "Terminal waits", "Waits for messages that made nobody wait for messages later.", "sum of its parts"),
		divided("mpi_wait_terminal_ls", "mpi_wait_terminal", "Terminal late senders", "Late senders that made nobody wait for messages later.", "mpi_latesender − mpi_wait_propagating_ls"),
		divided("mpi_wait_terminal_lr", "mpi_wait_terminal", "Terminal late receivers", "Late receivers that made nobody wait for messages later.", "mpi_latereceiver with those in wrong order − mpi_wait_propagating_lr"),
		divided("waitstates_direct_vs_indirect", "", "Waits for messages by cause", "Waits for messages, divided into those that work caused and those that other waits caused.", "sum of its parts"),
		divided("mpi_wait_direct", "waitstates_direct_vs_indirect", "Direct waits", "Waits for messages that somebody caused who had more work.", "sum of its parts"),
		divided("mpi_wait_direct_latesender", "mpi_wait_direct", "Direct late senders", "Late senders who had more work.", "mpi_latesender − mpi_wait_indirect_latesender"),
		divided("mpi_wait_direct_latereceiver", "mpi_wait_direct", "Direct late receivers", "Late receivers who had more work.", "mpi_latereceiver with those in wrong order − mpi_wait_indirect_latereceiver"),
		divided("mpi_wait_indirect", "waitstates_direct_vs_indirect", "Indirect waits", "Waits for messages that somebody caused who had waited before.", "sum of its parts"),
		divided("mpi_wait_indirect_latesender", "mpi_wait_indirect", "Indirect late senders", "Late senders who had waited before.",
			"waits of the causer × min(1, wait ÷ (sum of the causer's excess + its waits)), since the two last met"),
		divided("mpi_wait_indirect_latereceiver", "mpi_wait_indirect", "Indirect late receivers", "Late receivers who had waited before.", "likewise"),
	},
	[]*analyzer.Pattern{
		ofGo("go_by_effect", "", "Waits by effect", "Waits for other goroutines, divided into those that made others wait later and those that did not.", "sum of its parts"),
		ofGo(metric.Propagating, "go_by_effect", "Propagating waits", "Waits for other goroutines that made others wait later.",
			"the largest part of it that causes one later wait: wait × min(1, later wait ÷ (sum of the causer's excess + its waits))"),
		ofGo("go_terminal", "go_by_effect", "Terminal waits", "Waits for other goroutines that made nobody wait later.", "the wait − its propagating part"),
		ofGo(metric.WaitsByCause, "", "Waits by cause", "Waits for other goroutines, divided into those that were caused by what others did and those that other waits caused.", "sum of its parts"),
		ofGo("go_direct", metric.WaitsByCause, "Direct waits", "Waits for a goroutine that had more to do.", "the wait − its indirect part"),
		ofGo(metric.IndirectWait, metric.WaitsByCause, "Indirect waits", "Waits for a goroutine that had waited for others before.",
			"min(wait, waits of the causer for others × min(1, wait ÷ (sum of the causer's excess + its waits))), since the two last met"),
	},
	[]*analyzer.Pattern{costing("meetings_propagating_vs_terminal", "", "Waits in meetings by effect",
		"Waits in collective operations, at barriers and for teams, divided into those that made others wait later and those that did not.", "sum of its parts", "")},
	dividedMeetings("meetings_propagating", "meetings_propagating_vs_terminal", "Propagating", "that made others wait later, for whatever.",
		"the largest part of it that causes one later wait: wait × min(1, later wait ÷ (sum of the causer's excess + its waits))", func(r *analyzer.Roots) string { return r.Spreading }),
	dividedMeetings("meetings_terminal", "meetings_propagating_vs_terminal", "Terminal", "that made nobody wait later.", "the wait − its propagating part", func(r *analyzer.Roots) string { return r.Terminal }),
	[]*analyzer.Pattern{costing("meetings_direct_vs_indirect", "", "Waits in meetings by cause",
		"Waits in collective operations, at barriers and for teams, divided into those that work caused and those that other waits caused.", "sum of its parts", "")},
	dividedMeetings("meetings_direct", "meetings_direct_vs_indirect", "Direct", "that somebody caused who had more work.", "the wait − its indirect part", func(r *analyzer.Roots) string { return r.Direct }),
	dividedMeetings("meetings_indirect", "meetings_direct_vs_indirect", "Indirect", "that somebody caused who had waited before.",
		"min(wait, waits of the causer × wait ÷ (sum of the causer's excess + its waits)), since the two last met; of idle threads, the waits of the causer meanwhile", func(r *analyzer.Roots) string { return r.Indirect }),
)
