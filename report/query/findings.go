package query

import "tracerec/report/cube"

// Finding is a wait state at a call path, in words.
type Finding struct {
	Metric   *Metric
	Path     *cube.CallPath
	Severity cube.Value // of the metric at the call path, without the call paths below
	Share    float64    // of the time of all locations
	Title    string     // "Late Sender in MPI_Recv"
	Text     string     // what happened, a sentence
	Advice   string     // what the metric means, from its description
}

// Findings returns the dearest wait states, at most top.
func (m *Model) Findings(top int) []Finding { return nil }

// Efficiency is a ratio of the efficiency model of the POP project, 1 being perfect.
type Efficiency struct {
	Name    string  // "load balance"
	Value   float64 // if Why is ""
	Why     string  // why the ratio does not apply
	Formula string  // with the metrics that it is computed from
	Meaning string  // what a low value says, a sentence
}

// Efficiency returns the ratios, the whole before its factors.
func (m *Model) Efficiency() []Efficiency { return nil }
