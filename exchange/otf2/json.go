package otf2

import (
	"encoding/json"
	"math"
	"strings"
)

// jsonLine is a record in a dump. Of a definition that holds for the whole archive there is no location.
type jsonLine struct {
	Record     string         `json:"record"`
	Location   *uint64        `json:"location,omitempty"`
	Time       *uint64        `json:"time,omitempty"` // ticks, corrected; of events
	Fields     map[string]any `json:"fields"`
	Attributes map[string]any `json:"attributes,omitempty"`
}

// reference refers to a definition.
type reference struct {
	Number uint64 `json:"number"`
	Name   string `json:"name,omitempty"`
}

// json returns a line of JSON.
func (a *Archive) json(r *Record, location *uint64, e *Event) []byte {
	line := jsonLine{Record: r.Spec.Name, Location: location, Fields: a.fields(r)}
	if e != nil {
		line.Time = &e.Time
		for _, x := range e.Attributes {
			if line.Attributes == nil {
				line.Attributes = map[string]any{}
			}
			line.Attributes[a.NameOf(Attributes, x.ID)] = a.typed(x.Type, x.Value)
		}
	}
	b, _ := json.Marshal(&line) // cannot fail: numbers that JSON has not are null
	return append(b, '\n')
}

// fields returns the fields of a record; of those that repeat, lists.
func (a *Archive) fields(r *Record) map[string]any {
	fields, value, text := map[string]any{}, 0, 0
	next := func(f *Field) (v any) {
		switch {
		case f.Type == Text:
			text++
			return r.Texts[text-1]
		case f.Type == Map:
			v, value = r.Values[value:], len(r.Values)
			return v
		case f.Type == Value || f.Name == "metricValues":
			v = a.typed(r.Values[value-1], r.Values[value])
		default:
			v = a.value(f, r.Values[value])
		}
		value++
		return v
	}
	for i := range r.Spec.Head {
		fields[r.Spec.Head[i].Name] = next(&r.Spec.Head[i])
	}
	for i := range r.Spec.Each {
		fields[r.Spec.Each[i].Name] = []any{}
	}
	for range len(r.Each()) / max(1, len(r.Spec.Each)) {
		for i := range r.Spec.Each {
			name := r.Spec.Each[i].Name
			fields[name] = append(fields[name].([]any), next(&r.Spec.Each[i]))
		}
	}
	for i := range r.Spec.Tail {
		fields[r.Spec.Tail[i].Name] = next(&r.Spec.Tail[i])
	}
	return fields
}

// value returns one value as JSON has it, nil if it is undefined.
func (a *Archive) value(f *Field, v uint64) any {
	b := string(a.appendField(nil, f, v))
	switch {
	case b == "UNDEFINED":
		return nil
	case strings.HasSuffix(b, ">"):
		return reference{v, a.NameOf(f.Refers, v)}
	case f.Type == Float:
		return finite(math.Float64frombits(v))
	case f.Words != nil:
		return b
	}
	return json.Number(b)
}

// typed returns a value whose type goes with it.
func (a *Archive) typed(kind, v uint64) any {
	if to := valueRefers(kind); to != Nothing {
		return reference{v, a.NameOf(to, v)}
	}
	switch kind {
	case typeFloat:
		return finite(float64(math.Float32frombits(uint32(v))))
	case typeDouble:
		return finite(math.Float64frombits(v))
	}
	return json.Number(a.appendTyped(nil, kind, v))
}

// finite returns a number, nil if JSON has none such.
func finite(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}
