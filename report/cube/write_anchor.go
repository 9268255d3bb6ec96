package cube

import (
	"fmt"
	"strconv"
	"strings"
)

const writtenVersion = "4.4" // of the anchor's syntax

// anchor returns the XML of the trees.
func (c *Cube) anchor() []byte {
	w := &printer{}
	w.line(`<?xml version="1.0" encoding="UTF-8"?>`)
	w.line("")
	w.line(`<cube version="%s">`, writtenVersion)
	w.attrs(c.Attrs)
	w.line("<doc>\n<mirrors>")
	for _, m := range c.Mirrors {
		w.text("murl", m)
	}
	w.line("</mirrors>\n</doc>")
	w.line("<metrics%s>", title(c.MetricsTitle))
	for _, m := range c.Metrics {
		w.metric(m)
	}
	w.line("</metrics>")
	w.line("<program%s>", title(c.ProgramTitle))
	for _, r := range c.Regions {
		w.region(r)
	}
	for _, p := range c.Roots {
		w.callPath(p)
	}
	w.line("</program>")
	w.line("<system%s>", title(c.SystemTitle))
	for _, n := range c.System {
		w.node(n)
	}
	w.line("<topologies>")
	for _, t := range c.Topologies {
		w.topology(t)
	}
	w.line("</topologies>\n</system>\n</cube>")
	return w.Bytes()
}

func title(s string) string {
	if s == "" {
		return ""
	}
	return options([]Attr{{"title", s}})
}

func (w *printer) metric(m *Metric) {
	ghost := ""
	if m.Ghost {
		ghost = ` viztype="GHOST"`
	}
	w.line(`<metric id="%d" type="%s"%s%s>`, m.ID, m.Kind, ghost, options(m.Options))
	w.text("disp_name", m.Title)
	w.text("uniq_name", m.Name)
	w.text("dtype", string(m.DType))
	w.text("uom", m.Unit)
	w.given("val", m.Val)
	w.text("url", m.URL)
	w.text("descr", m.Doc)
	for _, x := range m.Expressions {
		w.line("<%s%s>%s</%s>", x.Element, options(x.Options), escape(x.Text), x.Element)
	}
	w.attrs(m.Attrs)
	for _, child := range m.Children {
		w.metric(child)
	}
	w.line("</metric>")
}

func (w *printer) region(r *Region) {
	w.line(`<region id="%d" mod="%s" begin="%d" end="%d">`, r.ID, quoted(r.Module), r.Begin, r.End)
	w.text("name", r.Name)
	w.text("mangled_name", r.Mangled)
	w.text("paradigm", r.Paradigm)
	w.text("role", r.Role)
	w.text("url", r.URL)
	w.text("descr", r.Doc)
	w.attrs(r.Attrs)
	w.line("</region>")
}

func (w *printer) callPath(p *CallPath) {
	site := ""
	if p.Line != -1 {
		site = fmt.Sprintf(` line="%d"`, p.Line)
	}
	if p.Module != "" {
		site += fmt.Sprintf(` mod="%s"`, quoted(p.Module))
	}
	w.line(`<cnode id="%d"%s calleeId="%d">`, p.ID, site, p.Region.ID)
	for _, x := range p.Params {
		w.line(`<parameter partype="%s" parkey="%s" parvalue="%s"/>`, quoted(x.Type), quoted(x.Key), quoted(x.Text))
	}
	w.attrs(p.Attrs)
	for _, child := range p.Children {
		w.callPath(child)
	}
	w.line("</cnode>")
}

func (w *printer) node(n *SystemNode) {
	w.line(`<systemtreenode Id="%d">`, n.ID)
	w.text("name", n.Name)
	w.text("class", n.Class)
	w.given("descr", n.Doc)
	w.attrs(n.Attrs)
	for _, g := range n.Groups {
		w.line(`<locationgroup Id="%d">`, g.ID)
		w.resource(g.Name, g.Rank, g.Type, g.Doc, g.Attrs)
		for _, l := range g.Locations {
			w.line(`<location Id="%d">`, l.ID)
			w.resource(l.Name, l.Rank, l.Type, l.Doc, l.Attrs)
			w.line("</location>")
		}
		w.line("</locationgroup>")
	}
	for _, child := range n.Children {
		w.node(child)
	}
	w.line("</systemtreenode>")
}

func (w *printer) resource(name string, rank int, kind, doc string, attrs []Attr) {
	w.text("name", name)
	w.line("<rank>%d</rank>", rank)
	w.text("type", kind)
	w.given("descr", doc)
	w.attrs(attrs)
}

func (w *printer) topology(t *Topology) {
	name := ""
	if t.Name != "" {
		name = options([]Attr{{"name", t.Name}})
	}
	w.line(`<cart%s ndims="%d">`, name, len(t.Dims))
	for _, d := range t.Dims {
		name := ""
		if d.Name != "" {
			name = options([]Attr{{"name", d.Name}})
		}
		w.line(`<dim%s size="%d" periodic="%t"/>`, name, d.Size, d.Periodic)
	}
	for _, c := range t.Coords {
		at := make([]string, len(c.At))
		for i, x := range c.At {
			at[i] = strconv.Itoa(x)
		}
		attr, id := "", 0
		switch r := c.Of.(type) {
		case *Location:
			attr, id = "locId", r.ID
		case *LocationGroup:
			attr, id = "lgId", r.ID
		case *SystemNode:
			attr, id = "stnId", r.ID
		}
		w.line(`<coord %s="%d">%s</coord>`, attr, id, strings.Join(at, " "))
	}
	w.line("</cart>")
}
