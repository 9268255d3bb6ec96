package description

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"tracerec/internal/size"
)

// decoder reads JSON into a structure.
type decoder struct {
	*json.Decoder
	content []byte
}

// decode reads all of the content into what t points to.
func decode(content []byte, t any) error {
	d := decoder{json.NewDecoder(bytes.NewReader(content)), content}
	d.UseNumber()
	if err := d.value(reflect.ValueOf(t).Elem(), ""); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return d.wrong("", errors.New("there is something after the description"))
	}
	return nil
}

// wrong says where an error is: in which line, and of what.
func (d *decoder) wrong(name string, err error) error {
	at := min(d.InputOffset(), int64(len(d.content)))
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = min(s.Offset, int64(len(d.content)))
		err = fmt.Errorf("not JSON: %w", err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		at = int64(len(bytes.TrimRight(d.content, "\n")))
		err = errors.New("the description ends too early")
	}
	if name != "" {
		name += ": "
	}
	return fmt.Errorf("line %d: %s%w", 1+bytes.Count(d.content[:at], []byte("\n")), name, err)
}

// value reads what comes next.
func (d *decoder) value(v reflect.Value, name string) error {
	token, err := d.Token()
	if err != nil {
		return d.wrong(name, err)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if token == nil {
			v.SetZero()
			return nil
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return d.structure(v.Elem(), name, token)
	case reflect.Struct:
		return d.structure(v, name, token)
	case reflect.Slice:
		return d.list(v, name, token)
	}
	text, ok := "", false
	switch x := token.(type) {
	case json.Number:
		text, ok = string(x), v.Kind() != reflect.String && v.Kind() != reflect.Bool
	case string:
		text, ok = x, v.Kind() != reflect.Bool
	case bool:
		text, ok = strconv.FormatBool(x), v.Kind() == reflect.Bool
	}
	if !ok {
		return d.wrong(name, fmt.Errorf("not %s", kinds[v.Kind()]))
	}
	if err := Parse(v, text); err != nil {
		return d.wrong(name, fmt.Errorf("%q is %w", text, err))
	}
	return nil
}

// kinds says what a value has to be.
var kinds = map[reflect.Kind]string{reflect.String: "a text", reflect.Bool: "true or false", reflect.Struct: "an object { … }", reflect.Slice: "a list [ … ]",
	reflect.Int: "a number", reflect.Int64: "a number", reflect.Uint: "a number", reflect.Uint64: "a number"}

// structure reads an object that began.
func (d *decoder) structure(v reflect.Value, name string, token json.Token) error {
	if token != json.Delim('{') {
		return d.wrong(name, fmt.Errorf("not %s", kinds[reflect.Struct]))
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return d.wrong(name, err)
		}
		f := Field(v, key.(string))
		if !f.IsValid() {
			return d.wrong(name, fmt.Errorf("unknown name %q; the names are %s", key, Enumerate(fields(v.Type()))))
		}
		if err := d.value(f, strings.TrimPrefix(name+"."+key.(string), ".")); err != nil {
			return err
		}
	}
	return d.end(name)
}

// list reads a list that began, in place of what was there.
func (d *decoder) list(v reflect.Value, name string, token json.Token) error {
	if token != json.Delim('[') {
		return d.wrong(name, fmt.Errorf("not %s", kinds[reflect.Slice]))
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	for d.More() {
		e := reflect.New(v.Type().Elem()).Elem()
		if err := d.value(e, fmt.Sprintf("%s[%d]", name, v.Len())); err != nil {
			return err
		}
		v.Set(reflect.Append(v, e))
	}
	return d.end(name)
}

// end reads the end of an object or a list.
func (d *decoder) end(name string) error {
	if _, err := d.Token(); err != nil {
		return d.wrong(name, err)
	}
	return nil
}

// Name returns the name of a field in descriptions, "" if it is not in them.
func Name(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" {
		return ""
	}
	return name
}

// Field returns the field of a structure with that name; the zero value if there is none.
func Field(v reflect.Value, name string) reflect.Value {
	for i := range v.NumField() {
		if name != "" && Name(v.Type().Field(i)) == name {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}

func fields(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		if name := Name(t.Field(i)); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// Parse sets a value that is no structure from text. Numbers may have a unit, as in 32k or 4M.
func Parse(v reflect.Value, text string) error {
	switch v.Kind() {
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("neither true nor false")
		}
		v.SetBool(b)
		return nil
	case reflect.String:
		v.SetString(text)
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		var bytes size.Bytes
		err = bytes.Set(text)
		n = int64(bytes)
	}
	switch {
	case err != nil || v.CanUint() && n < 0:
		return errors.New("not a number such as 8, 32k or 4M")
	case v.CanInt():
		v.SetInt(n)
	default:
		v.SetUint(uint64(n))
	}
	return nil
}
