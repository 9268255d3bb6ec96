package cache

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"tracerec/simulator/description"
)

// Machine describes what is modelled of a processor: its memory hierarchy, its branch prediction and what things cost.
type Machine struct {
	Name  string `json:"-"`
	Title string `json:"title"`

	L1I  Geometry  `json:"l1i"`
	L1D  Geometry  `json:"l1d"`
	L2   Geometry  `json:"l2"` // for instructions and data
	L3   *Geometry `json:"l3,omitempty"`
	ITLB Geometry  `json:"itlb"`
	DTLB Geometry  `json:"dtlb"`
	TLB2 *Geometry `json:"tlb2,omitempty"` // asked when one of the two misses
	// Shared: the last cache is one for all processors. Stores of one never take lines from another: there is no coherence
	// traffic in the model.
	Shared bool `json:"shared,omitempty"`

	Predictor Prediction `json:"predictor"`
	Cycles    Cycles     `json:"cycles"`
}

// Cycles is the cycle model: every instruction costs its issue, and every event on top of that what it says here. Nothing
// overlaps; what an out-of-order processor hides has to be taken off the costs. So cycles follow from counts by a weighted
// sum, and are exactly as repeatable as those.
type Cycles struct {
	Issue      uint64 `json:"issue"` // thousandths of a cycle per instruction
	L2         uint64 `json:"l2"`    // an access that misses in L1 and is served there, in cycles
	L3         uint64 `json:"l3,omitempty"`
	Memory     uint64 `json:"memory"`
	TLB        uint64 `json:"tlb"`            // a miss of a first translation buffer
	Walk       uint64 `json:"walk,omitempty"` // a miss of the second, on top
	Mispredict uint64 `json:"mispredict"`
	Divide     uint64 `json:"divide"` // of integers, also remainders
	FPDivide   uint64 `json:"fp_divide"`
	Atomic     uint64 `json:"atomic"`
	SystemCall uint64 `json:"system_call"` // the kernel's work
}

//go:embed machines/*.json
var machines embed.FS

// Machines returns the names of the machines that there are, sorted.
func Machines() []string { return description.Names(machines) }

// Named returns the machine of a name.
func Named(name string) (*Machine, error) {
	m, err := description.Named(machines, "machine", name, (*Machine).Check)
	if err != nil {
		return nil, err
	}
	m.Name = name
	return m, nil
}

// usual is the machine whose parameters others have that do not say anything else.
const usual = "server"

// Text returns the description of the machine of a name, which says everything: a template for others.
func Text(name string) ([]byte, error) { return description.Text(machines, "machine", name) }

// Read reads a machine's description, which is JSON. What it does not say is as in the usual one; null is a cache that is not there.
func Read(r io.Reader) (*Machine, error) {
	m, err := Named(usual)
	if err != nil {
		return nil, err
	}
	m.Name, m.Title = "", ""
	return description.Read(r, m, (*Machine).Check)
}

// Open returns the machine that somebody names, or describes in a file.
func Open(name string) (*Machine, error) {
	if !description.IsFile(name) {
		return Named(name)
	}
	m, err := description.File(name, "machine", Read)
	if err == nil {
		m.Name = strings.TrimSuffix(filepath.Base(name), ".json")
	}
	return m, err
}

// Check tells what is wrong with the description.
func (m *Machine) Check() error {
	type part struct {
		name string
		g    *Geometry
	}
	for _, p := range []part{{"l1i", &m.L1I}, {"l1d", &m.L1D}, {"l2", &m.L2}, {"l3", m.L3}, {"itlb", &m.ITLB}, {"dtlb", &m.DTLB}, {"tlb2", m.TLB2}} {
		if p.g == nil {
			continue
		}
		if _, err := newLevel(*p.g, false); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	switch inner := max(m.L1D.Size, m.L1I.Size); {
	case m.L2.Size < inner:
		return fmt.Errorf("l2: %d bytes, must be at least the %d of l1", m.L2.Size, inner)
	case m.L3 != nil && m.L3.Size < m.L2.Size:
		return fmt.Errorf("l3: %d bytes, must be at least the %d of l2", m.L3.Size, m.L2.Size)
	case m.TLB2 != nil && m.TLB2.Size < max(m.DTLB.Size, m.ITLB.Size):
		return fmt.Errorf("tlb2: covers %d bytes, must cover at least the %d of dtlb and itlb", m.TLB2.Size, max(m.DTLB.Size, m.ITLB.Size))
	case m.L2.Line < m.L1D.Line || m.L2.Line < m.L1I.Line:
		return fmt.Errorf("l2: lines of %d bytes, must not be shorter than those of l1", m.L2.Line)
	case m.L3 != nil && m.L3.Line < m.L2.Line:
		return fmt.Errorf("l3: lines of %d bytes, must not be shorter than those of l2", m.L3.Line)
	case m.TLB2 != nil && (m.TLB2.Line != m.DTLB.Line || m.TLB2.Line != m.ITLB.Line):
		return fmt.Errorf("tlb2: pages of %d bytes, must be as large as those of dtlb and itlb", m.TLB2.Line)
	}
	if m.Cycles.Issue == 0 {
		return errors.New("cycles: issue is 0, must be at least 1, a thousandth of a cycle")
	}
	if err := m.Predictor.Check(); err != nil {
		return fmt.Errorf("predictor: %w", err)
	}
	return nil
}
