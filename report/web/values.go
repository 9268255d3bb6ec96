package web

import "encoding/json"

// calls answers with a metric's values by call path.
func (a *api) calls(q *question) (any, error) {
	w, at := q.what(), q.at()
	if err := q.only("metric", "self", "at"); err != nil {
		return nil, err
	}
	inclusive, exclusive, err := a.model.ByPath(w, at)
	return a.both(inclusive, exclusive, err), nil
}

// flat answers with a metric's values by region.
func (a *api) flat(q *question) (any, error) {
	w, at := q.what(), q.at()
	if err := q.only("metric", "self", "at"); err != nil {
		return nil, err
	}
	inclusive, exclusive, err := a.model.ByRegion(w, at)
	return a.both(inclusive, exclusive, err), nil
}

// both encodes inclusive and exclusive values. A metric that cannot be evaluated is an answer as well.
func (a *api) both(inclusive, exclusive column, err error) encoded {
	b := make([]byte, 0, 32+16*(len(inclusive)+len(exclusive)))
	b = inclusive.appendTo(append(b, `{"incl":`...))
	b = exclusive.appendTo(append(b, `,"excl":`...))
	return append(appendProblem(b, err), '}')
}

// appendProblem appends why values could not be evaluated.
func appendProblem(b []byte, err error) []byte {
	text := ""
	if err != nil {
		text = err.Error()
	}
	quoted, _ := json.Marshal(text)
	return append(append(b, `,"error":`...), quoted...)
}

// system answers with a metric's values by part of the system, at a call path or a region, and how they are distributed.
func (a *api) system(q *question) (any, error) {
	w, p, r, inclusive := q.what(), q.path(), q.region(), q.yes("incl")
	if p != nil && r != nil {
		q.fail("either a call path or a region")
	}
	if err := q.only("metric", "self", "path", "region", "incl"); err != nil {
		return nil, err
	}
	var values column
	var err error
	if r != nil {
		values, err = a.model.RegionByResource(w, r, inclusive)
	} else {
		values, err = a.model.ByResource(w, p, inclusive)
	}
	b := values.appendTo(append(make([]byte, 0, 128+16*len(values)), `{"values":`...))
	return encoded(append(appendProblem(b, err), '}')), nil
}
