package cube

import (
	"io"
	"strings"
)

// readTrees reads the XML of either kind of file into c. Values, which only the older kind has there, are read by
// readSeverity.
func readTrees(file, member string, r io.Reader, c *Cube) error {
	p := newParser(file, member, r, c)
	root, err := p.root()
	if err != nil {
		return err
	}
	if root.name != "cube" && member == "" {
		return none(file, ": it begins with <"+root.name+">")
	}
	if root.name != "cube" {
		return p.errorf(root.offset, "<%s> is not the beginning of a cube", root.name)
	}
	c.Version = root.attr("version")
	if major, _, _ := strings.Cut(c.Version, "."); major != "3" && major != "4" {
		return p.errorf(root.offset, "version %q of cubes is not known", c.Version)
	}
	valued := false
	err = p.children(root, func(e element) error {
		if e.name != "severity" {
			return p.part(e)
		}
		if valued {
			return p.errorf(e.offset, "a second <severity>")
		}
		valued = true
		if err := p.complete(); err != nil {
			return err
		}
		return p.severity(e)
	})
	if err != nil || valued {
		return err
	}
	return p.complete()
}

func (p *parser) complete() error {
	if err := p.cube.Complete(); err != nil {
		return p.errorf(p.d.InputOffset(), "%v", err)
	}
	return nil
}

// part reads one of the parts of a cube that are trees, or say something about it.
func (p *parser) part(e element) error {
	switch e.name {
	case "attr":
		return p.keyed(e, &p.cube.Attrs)
	case "doc":
		return p.doc(e)
	case "metrics":
		p.cube.MetricsTitle = e.attr("title")
		err := p.children(e, func(e element) error { return p.metric(e, &p.cube.Metrics) })
		return err
	case "program":
		return p.program(e)
	case "system":
		return p.system(e)
	}
	return p.unknown(e)
}

func (p *parser) doc(e element) error {
	err := p.children(e, func(e element) error {
		if e.name != "mirrors" {
			return p.unknown(e)
		}
		err := p.children(e, func(e element) error {
			if e.name != "murl" {
				return p.unknown(e)
			}
			var s string
			err := p.text(e, &s)
			p.cube.Mirrors = append(p.cube.Mirrors, s)
			return err
		})
		return err
	})
	return err
}

func (p *parser) metric(e element, list *[]*Metric) (err error) {
	if e.name != "metric" {
		return p.unknown(e)
	}
	m := &Metric{Options: e.others("id", "type", "viztype"), Ghost: e.attr("viztype") == "GHOST"}
	if p.unnumbered {
		m.ID = p.metrics
	} else if m.ID, err = p.id(e, "id"); err != nil {
		return err
	}
	p.metrics++
	var ok bool
	if m.Kind, ok = parseKind(e.attr("type")); !ok {
		return p.errorf(e.offset, "type %q of a metric is not known", e.attr("type"))
	}
	*list = append(*list, m)
	dtype := ""
	err = p.children(e, func(e element) error {
		switch e.name {
		case "disp_name":
			return p.text(e, &m.Title)
		case "uniq_name":
			return p.text(e, &m.Name)
		case "dtype":
			return p.text(e, &dtype)
		case "uom":
			return p.text(e, &m.Unit)
		case "val":
			return p.text(e, &m.Val)
		case "url":
			return p.text(e, &m.URL)
		case "descr":
			return p.text(e, &m.Doc)
		case "attr":
			return p.keyed(e, &m.Attrs)
		case "metric":
			return p.metric(e, &m.Children)
		case "cubepl", "cubeplinit", "cubeplaggr":
			x := Expression{Element: e.name, Options: e.others()}
			err := p.text(e, &x.Text)
			m.Expressions = append(m.Expressions, x)
			return err
		}
		return p.unknown(e)
	})
	m.DType = DType(strings.TrimSpace(dtype))
	return err
}

func (p *parser) program(e element) error {
	c := p.cube
	c.ProgramTitle = e.attr("title")
	regions := map[int]*Region{}
	err := p.children(e, func(e element) error {
		switch e.name {
		case "region":
			r, err := p.region(e)
			if err != nil {
				return err
			}
			regions[r.ID] = r
			c.Regions = append(c.Regions, r)
			return nil
		case "cnode":
			return p.callPath(e, regions, &c.Roots)
		}
		return p.unknown(e)
	})
	return err
}

func (p *parser) region(e element) (*Region, error) {
	r := &Region{Module: e.attr("mod")}
	var err error
	if r.ID, err = p.id(e, "id"); err != nil {
		return nil, err
	}
	if r.Begin, err = p.line(e, "begin"); err != nil {
		return nil, err
	}
	if r.End, err = p.line(e, "end"); err != nil {
		return nil, err
	}
	err = p.children(e, func(e element) error {
		switch e.name {
		case "name":
			return p.text(e, &r.Name)
		case "mangled_name":
			return p.text(e, &r.Mangled)
		case "paradigm":
			return p.text(e, &r.Paradigm)
		case "role":
			return p.text(e, &r.Role)
		case "url":
			return p.text(e, &r.URL)
		case "descr":
			return p.text(e, &r.Doc)
		case "attr":
			return p.keyed(e, &r.Attrs)
		}
		return p.unknown(e)
	})
	return r, err
}

func (p *parser) callPath(e element, regions map[int]*Region, list *[]*CallPath) (err error) {
	path := &CallPath{Module: e.attr("mod")}
	if path.ID, err = p.id(e, "id"); err != nil {
		return err
	}
	if path.Line, err = p.line(e, "line"); err != nil {
		return err
	}
	callee, err := p.id(e, "calleeId")
	if err != nil {
		return err
	}
	if path.Region = regions[callee]; path.Region == nil {
		return p.errorf(e.offset, "call path %d calls region %d, which is not defined", path.ID, callee)
	}
	*list = append(*list, path)
	err = p.children(e, func(e element) error {
		switch e.name {
		case "cnode":
			return p.callPath(e, regions, &path.Children)
		case "parameter":
			path.Params = append(path.Params, Param{e.attr("partype"), e.attr("parkey"), e.attr("parvalue")})
			return p.skip(e)
		case "attr":
			return p.keyed(e, &path.Attrs)
		}
		return p.unknown(e)
	})
	return err
}
