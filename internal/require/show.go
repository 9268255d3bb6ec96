package require

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// most is the number of lines that are shown of a value, or of what differs.
const most = 40

// show returns a value as text, on several lines if it has parts.
func show(x any) string {
	lines := strings.Split(dump(x), "\n")
	if more := len(lines) - most; more > 0 {
		lines = append(lines[:most], fmt.Sprintf("... and %d lines more", more))
	}
	return strings.Join(lines, "\n")
}

// difference says where two values differ: the lines between the first and the last that are not the same.
func difference(want, got any) string {
	a, b := strings.Split(dump(want), "\n"), strings.Split(dump(got), "\n")
	if slices.Equal(a, b) {
		return fmt.Sprintf("not equal, though they look alike: want %T, got %T\n%s", want, got, show(got))
	}
	if len(a) == 1 && len(b) == 1 {
		return fmt.Sprintf("not equal\nwant: %s\ngot:  %s", a[0], b[0])
	}
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	a, b = a[same:], b[same:]
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	s := fmt.Sprintf("not equal from line %d on, want -, got +", same+1)
	for _, side := range []struct {
		sign  string
		lines []string
	}{{"-", a}, {"+", b}} {
		for i, line := range side.lines {
			if i == most {
				s += fmt.Sprintf("\n%s... and %d lines more", side.sign, len(side.lines)-most)
				break
			}
			s += "\n" + side.sign + line
		}
	}
	return s
}

// dump returns a text as it is if it has lines, and of any other value each part on a line, with what pointers point to.
func dump(x any) string {
	switch x := x.(type) {
	case string:
		if strings.Contains(x, "\n") {
			return x
		}
	case []byte:
		return dump(string(x))
	}
	var b strings.Builder
	write(&b, reflect.ValueOf(x), "\n", 0)
	return b.String()
}

// deepest is how far pointers are followed, as they may lead in circles.
const deepest = 12

func write(b *strings.Builder, v reflect.Value, newline string, depth int) {
	inner := newline + "  "
	switch {
	case !v.IsValid():
		b.WriteString("nil")
	case depth > deepest:
		b.WriteString("...")
	case v.Kind() == reflect.String:
		fmt.Fprintf(b, "%q", v.String())
	case v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer && !v.IsNil():
		write(b, v.Elem(), newline, depth+1)
	case v.Kind() == reflect.Struct:
		fmt.Fprintf(b, "%s{", v.Type())
		for i := range v.NumField() {
			b.WriteString(inner + v.Type().Field(i).Name + ": ")
			write(b, v.Field(i), inner, depth+1)
		}
		b.WriteString(newline + "}")
	case v.Kind() == reflect.Map && !v.IsNil():
		fmt.Fprintf(b, "%s{", v.Type())
		var lines []string
		for _, key := range v.MapKeys() {
			var line strings.Builder
			write(&line, key, inner, depth+1)
			line.WriteString(": ")
			write(&line, v.MapIndex(key), inner, depth+1)
			lines = append(lines, inner+line.String())
		}
		slices.Sort(lines)
		b.WriteString(strings.Join(lines, "") + newline + "}")
	case v.Kind() == reflect.Array || v.Kind() == reflect.Slice && !v.IsNil():
		fmt.Fprintf(b, "%s{", v.Type())
		for i := range v.Len() {
			b.WriteString(inner)
			write(b, v.Index(i), inner, depth+1)
		}
		b.WriteString(newline + "}")
	default:
		fmt.Fprintf(b, "%v", v)
	}
}
