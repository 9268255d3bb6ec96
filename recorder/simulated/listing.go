//go:build linux

package simulated

import (
	"fmt"
	"slices"
	"strings"

	"tracerec/internal/readable"
	"tracerec/simulator/cache"
	"tracerec/simulator/count"
	"tracerec/simulator/pmu"
)

// NoMachine is the machine of which nothing is modelled but instructions.
const NoMachine = "none"

// named is what is told about a machine or a PMU.
type named struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// event is what is told about an event.
type event struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Listing is what there is to choose from.
type Listing struct {
	Machines   []named           `json:"machines"`
	PMUs       []named           `json:"pmus"`
	Machine    string            `json:"machine"` // of which the following are
	Parameters []cache.Parameter `json:"parameters"`
	Events     []event           `json:"events"`
}

// List tells which machines there are, and of one, nil for none, parameters and events.
func List(name string, m *cache.Machine) (*Listing, error) {
	v := &Listing{Machine: name}
	for _, name := range cache.Machines() {
		x, err := cache.Named(name)
		if err != nil {
			return nil, err
		}
		v.Machines = append(v.Machines, named{name, x.Title})
	}
	for _, name := range pmu.Names() {
		x, err := pmu.Named(name)
		if err != nil {
			return nil, err
		}
		v.PMUs = append(v.PMUs, named{name, x.Title})
	}
	if m != nil {
		v.Parameters = m.Parameters()
	}
	c, err := count.New(m, count.Options{Classify: true})
	if err != nil {
		return nil, err
	}
	for _, e := range c.Events() {
		v.Events = append(v.Events, event{e.Name, e.Description})
	}
	return v, nil
}

// Text returns the list in 80 columns.
func (v *Listing) Text() string {
	var out strings.Builder
	out.WriteString("machines (--machine)\n")
	for _, x := range append(slices.Clone(v.Machines), named{NoMachine, "counts only what does not depend on caches and prediction"}) {
		describeName(&out, 8, x.Name, x.Title)
	}
	out.WriteString("\nPMUs (--pmu)\n")
	for _, x := range v.PMUs {
		describeName(&out, 8, x.Name, x.Title)
	}
	if v.Parameters != nil {
		fmt.Fprintf(&out, "\nparameters of %s (--set, --sweep)\n", v.Machine)
		var words []string
		for _, p := range v.Parameters {
			words = append(words, p.Name+"="+p.Value)
		}
		out.WriteString(readable.Block("  ", strings.Join(words, " "), readable.Columns))
	}
	fmt.Fprintf(&out, "\ncounters of %s (-c)\n", v.Machine)
	for _, e := range v.Events {
		describeName(&out, 16, e.Name, e.Description)
	}
	return out.String()
}

// describeName writes a name in a column, and beside it what it is.
func describeName(out *strings.Builder, column int, name, text string) {
	out.WriteString(readable.Block(fmt.Sprintf("  %-*s  ", column, name), text, readable.Columns))
}
