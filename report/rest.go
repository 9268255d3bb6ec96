package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tracerec/report/cube"
)

// restFormat is the version of the member. Version 1 had totals, which the cube has.
const restFormat = 2

// rest is the content of the member.
type rest struct {
	Format  int `json:"format"`
	Metrics int `json:"metrics"` // those of the experiment, the first in the cube
	Sidecar
}

func (e *Experiment) encodeRest() ([]byte, error) {
	r := rest{restFormat, len(e.Metrics), e.Sidecar}
	r.texts(func(s *string) { *s = pack(*s) })
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(r)
	return b.Bytes(), err
}

// texts replaces all texts that come from the measured program. Lists are cloned before.
func (r *rest) texts(replace func(*string)) {
	r.Header.Args, r.Origin.Sources, r.Origin.Processes = slices.Clone(r.Header.Args), slices.Clone(r.Origin.Sources), slices.Clone(r.Origin.Processes)
	r.Groups, r.NeverEnded, r.Warnings = slices.Clone(r.Groups), slices.Clone(r.NeverEnded), slices.Clone(r.Warnings)
	replace(&r.Header.Program)
	replace(&r.Origin.Trace)
	r.Unlisted, r.Notes = slices.Clone(r.Unlisted), slices.Clone(r.Notes)
	for _, list := range [][]string{r.Header.Args, r.Origin.Sources, r.Warnings, r.Unlisted, r.Notes} {
		for i := range list {
			replace(&list[i])
		}
	}
	for i := range r.Origin.Processes {
		replace(&r.Origin.Processes[i].Program)
	}
	for i := range r.Groups {
		replace(&r.Groups[i].Name)
		replace(&r.Groups[i].Begun)
	}
	r.Findings = slices.Clone(r.Findings)
	for i := range r.Findings {
		o := &r.Findings[i].Object
		replace(&o.Name)
		replace(&r.Findings[i].Advice)
		replace(&o.File)
	}
	for _, s := range []*string{&r.Verdict.Text, &r.Verdict.Metric, &r.Verdict.Object, &r.Verdict.File} {
		replace(s)
	}
	for i := range r.NeverEnded {
		replace(&r.NeverEnded[i].Object)
	}
	r.Requests = slices.Clone(r.Requests)
	for i := range r.Requests {
		r.Requests[i].texts(replace)
	}
}

// packed begins a text that JSON cannot carry as it is; the text follows, quoted.
const packed = "\x00"

func pack(s string) string {
	if utf8.ValidString(s) && !strings.HasPrefix(s, packed) {
		return s
	}
	return packed + strconv.QuoteToASCII(s)
}

// unpack is the inverse of pack. What pack cannot have made stays as it is.
func unpack(s string) string {
	if quoted, ok := strings.CutPrefix(s, packed); ok {
		if text, err := strconv.Unquote(quoted); err == nil {
			return text
		}
	}
	return s
}

// bounds are the sizes that the numbers in the member must stay below.
type bounds struct{ metrics, paths, locations, groups int }

// decodeRest reads the member. All numbers in what it returns are within bounds.
func decodeRest(m *cube.Member, b bounds) (*rest, error) {
	r := &rest{}
	d := &restDecoder{Decoder: json.NewDecoder(m.Open()), b: b, r: r, seen: map[string]bool{}}
	if err := d.object(d.field); err != nil {
		offset := d.InputOffset()
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
			offset = syntax.Offset
		}
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			err = fmt.Errorf("%s where something else belongs", wrong.Value)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			offset, err = m.Size(), errors.New("the member ends early")
		}
		return nil, m.Errorf(offset, "%v", err)
	}
	r.texts(func(s *string) { *s = unpack(*s) })
	return r, nil
}

// restDecoder reads the member piece by piece, so that errors have an offset and nothing is believed before it is there.
type restDecoder struct {
	*json.Decoder
	b    bounds
	r    *rest
	seen map[string]bool // parts
}

// object reads an object and calls field for each name, which must read the value.
func (d *restDecoder) object(field func(name string) error) error {
	if t, err := d.Token(); err != nil {
		return err
	} else if t != json.Delim('{') {
		return fmt.Errorf("%s instead of an object", token(t))
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return err
		}
		if err := field(t.(string)); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// token writes a token as it is in the file.
func token(t json.Token) string {
	if t == nil {
		return "null"
	}
	if s, ok := t.(string); ok {
		return fmt.Sprintf("%.40q", s)
	}
	return fmt.Sprint(t)
}

// field reads one part of the member. Unknown ones are left out: later versions may add some.
func (d *restDecoder) field(name string) (err error) {
	r := d.r
	if d.seen[name] { // what was checked with the first might not fit the second
		return fmt.Errorf("%q is given twice", name)
	}
	d.seen[name] = true
	switch name {
	case "format":
		if err = d.Decode(&r.Format); err == nil && (r.Format < 1 || r.Format > restFormat) {
			err = fmt.Errorf("format %d is not known to this version", r.Format)
		}
	case "metrics":
		if err = d.Decode(&r.Metrics); err == nil && (r.Metrics < 0 || r.Metrics > d.b.metrics) {
			err = fmt.Errorf("%d metrics, the report has only %d", r.Metrics, d.b.metrics)
		}
	case "header":
		err = d.Decode(&r.Header)
	case "origin":
		err = d.Decode(&r.Origin)
	case "critical_path":
		err = d.Decode(&r.Split)
	case "critical_path_operations":
		r.Operations, err = list(d, d.operation)
	case "critical_path_counts":
		r.PathCounts, err = list(d, d.count)
	case "lost":
		err = d.Decode(&r.Lost)
	case "on_path":
		err = d.Decode(&r.OnPath)
	case "groups":
		r.Groups, err = list(d, d.group)
		d.b.groups = len(r.Groups)
	case "statistics":
		r.Stats, err = list(d, d.stats)
	case "findings":
		r.Findings, err = list(d, d.finding)
	case "never_ended":
		r.NeverEnded, err = list(d, d.neverEnded)
	case "starts":
		if err = d.Decode(&r.Starts); err == nil { // there may be millions, so all at once
			err = d.starts(r.Starts)
		}
	case "warnings":
		err = d.Decode(&r.Warnings)
	case "verdict":
		err = d.Decode(&r.Verdict)
	case "requests":
		r.Requests, err = list(d, d.requests)
	case "ratios":
		r.Ratios, err = list(d, d.ratio)
	case "properties":
		r.Properties, err = list(d, d.property)
	case "unlisted_counters":
		err = d.Decode(&r.Unlisted)
	case "notes":
		err = d.Decode(&r.Notes)
	default:
		var skipped json.RawMessage
		err = d.Decode(&skipped)
	}
	return err
}

// list reads an array, checking each element. It is nil if the file has null.
func list[T any](d *restDecoder, check func(*T) error) ([]T, error) {
	t, err := d.Token()
	if err != nil || t == nil {
		return nil, err
	}
	if t != json.Delim('[') {
		return nil, fmt.Errorf("%s instead of a list", token(t))
	}
	all := []T{}
	for d.More() {
		var x T
		if err := d.Decode(&x); err != nil {
			return nil, err
		}
		if err := check(&x); err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	_, err = d.Token()
	return all, err
}
