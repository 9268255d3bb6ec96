package require

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
)

// equalValues says whether values are equal when either is converted to the other's type.
func equalValues(a, b any) bool {
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	if !v.IsValid() || !w.IsValid() || !v.CanConvert(w.Type()) || !w.CanConvert(v.Type()) {
		return a == nil && b == nil
	}
	return reflect.DeepEqual(v.Convert(w.Type()).Interface(), b) && reflect.DeepEqual(a, w.Convert(v.Type()).Interface())
}

func pointers(a, b any) (same, ok bool) {
	return a == b, reflect.ValueOf(a).Kind() == reflect.Pointer && reflect.ValueOf(b).Kind() == reflect.Pointer
}

func isNil(x any) bool {
	switch v := reflect.ValueOf(x); v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Chan, reflect.Func, reflect.Map, reflect.Pointer, reflect.Slice, reflect.UnsafePointer:
		return v.IsNil()
	}
	return false
}

func isZero(x any) bool {
	return x == nil || reflect.DeepEqual(x, reflect.Zero(reflect.TypeOf(x)).Interface())
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Chan, reflect.Map, reflect.Slice:
		return v.Len() == 0
	case reflect.Pointer:
		return v.IsNil() || isEmpty(v.Elem())
	}
	return v.IsZero()
}

func length(x any) (n int, ok bool) {
	switch v := reflect.ValueOf(x); v.Kind() {
	case reflect.Array, reflect.Chan, reflect.Map, reflect.Slice, reflect.String:
		return v.Len(), true
	}
	return 0, false
}

func contains(in, x any) (found, ok bool) {
	v, w := reflect.ValueOf(in), reflect.ValueOf(x)
	switch v.Kind() {
	case reflect.String:
		return strings.Contains(v.String(), w.String()), w.Kind() == reflect.String
	case reflect.Map:
		for _, key := range v.MapKeys() {
			found = found || reflect.DeepEqual(key.Interface(), x)
		}
		return found, true
	case reflect.Array, reflect.Slice:
		for i := range v.Len() {
			found = found || reflect.DeepEqual(v.Index(i).Interface(), x)
		}
		return found, true
	}
	return false, false
}

// lists returns the elements of a that b lacks, and those that it has beyond them.
func lists(a, b any) (missing, more []any, ok bool) {
	if isEmpty(reflect.ValueOf(a)) && isEmpty(reflect.ValueOf(b)) {
		return nil, nil, true
	}
	for _, x := range []any{a, b} {
		if kind := reflect.TypeOf(x).Kind(); kind != reflect.Slice && kind != reflect.Array {
			return nil, nil, false
		}
	}
	for i := range reflect.ValueOf(b).Len() {
		more = append(more, reflect.ValueOf(b).Index(i).Interface())
	}
next:
	for i := range reflect.ValueOf(a).Len() {
		x := reflect.ValueOf(a).Index(i).Interface()
		for j := range more {
			if reflect.DeepEqual(x, more[j]) {
				more = append(more[:j], more[j+1:]...)
				continue next
			}
		}
		missing = append(missing, x)
	}
	return missing, more, true
}

// order compares two values of one kind. Not all have an order, NaN say.
func order(a, b any) (c int, ok bool) {
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	switch {
	case v.Kind() != w.Kind():
		return 0, false
	case v.CanInt():
		return cmp.Compare(v.Int(), w.Int()), true
	case v.CanUint():
		return cmp.Compare(v.Uint(), w.Uint()), true
	case v.CanFloat():
		return cmp.Compare(v.Float(), w.Float()), !math.IsNaN(v.Float()) && !math.IsNaN(w.Float())
	case v.Kind() == reflect.String:
		return cmp.Compare(v.String(), w.String()), true
	}
	x, isTime := a.(time.Time)
	y, areTimes := b.(time.Time)
	return x.Compare(y), isTime && areTimes
}

// float is a number, or NaN, which no other number is near.
func float(x any) float64 {
	switch v := reflect.ValueOf(x); {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	case v.CanFloat():
		return v.Float()
	}
	panic(fmt.Sprintf("%v (%[1]T) is no number", x))
}

func bothNaN(x, y float64) bool { return math.IsNaN(x) && math.IsNaN(y) }
