package cache

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"tracerec/internal/size"
	"tracerec/simulator/description"
)

// ErrParameter is the error of a parameter that a machine does not have, or of a value that it cannot have.
var ErrParameter = errors.New("machine parameter")

// Set changes a parameter by its name in the machine's description, such as l1d.size or cycles.memory. Numbers may have a unit, as
// in 32k or 4M. Whether the parameters fit together is for [Machine.Check], after all are set. The error wraps [ErrParameter].
func (m *Machine) Set(name, value string) error {
	v := reflect.ValueOf(m).Elem()
	for rest, within := name, ""; ; {
		head, tail, more := strings.Cut(rest, ".")
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return fmt.Errorf("%w: %s: this machine has no %s", ErrParameter, name, strings.TrimSuffix(within, "."))
			}
			v = v.Elem()
		}
		f := description.Field(v, head)
		if head == "title" || !f.IsValid() || more != structured(f) {
			return fmt.Errorf("%w: %s: not a parameter; the parameters are %s", ErrParameter, name, description.Enumerate(names(v, within)))
		}
		if v, rest, within = f, tail, within+head+"."; !more {
			break
		}
	}
	if err := description.Parse(v, value); err != nil {
		return fmt.Errorf("%w: %s: %q is %w", ErrParameter, name, value, err)
	}
	return nil
}

// Clone returns a copy that has nothing in common with the machine.
func (m *Machine) Clone() *Machine {
	c := *m
	for _, g := range []**Geometry{&c.L3, &c.TLB2} {
		if *g != nil {
			own := **g
			*g = &own
		}
	}
	return &c
}

// jsonName returns the name of a field in descriptions, "" if it is no parameter.
func jsonName(f reflect.StructField) string {
	if name := description.Name(f); name != "title" {
		return name
	}
	return ""
}

// structured tells whether a field has parameters of its own.
func structured(v reflect.Value) bool {
	return v.Kind() == reflect.Struct || v.Kind() == reflect.Pointer
}

// names lists the parameters of a structure; those with parameters of their own end with a dot.
func names(v reflect.Value, within string) (list []string) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name := jsonName(f)
		switch {
		case name == "":
		case structured(v.Field(i)):
			list = append(list, within+name+".…")
		default:
			list = append(list, within+name)
		}
	}
	return list
}

// Parameter is a parameter of a machine with its value.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Parameters lists the parameters that [Machine.Set] changes, in the order of the description.
func (m *Machine) Parameters() []Parameter { return parameters(reflect.ValueOf(m), "") }

func parameters(v reflect.Value, within string) (list []Parameter) {
	v = reflect.Indirect(v)
	for i := range v.NumField() {
		name, f := jsonName(v.Type().Field(i)), v.Field(i)
		switch {
		case name == "" || f.Kind() == reflect.Pointer && f.IsNil():
		case structured(f):
			list = append(list, parameters(f, within+name+".")...)
		default:
			text := fmt.Sprint(f)
			if f.CanUint() {
				n := size.Bytes(f.Uint())
				text = n.String()
			}
			list = append(list, Parameter{within + name, text})
		}
	}
	return list
}
