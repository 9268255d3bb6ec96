// Package manpage writes manual pages from a tree of commands, in roff with the man macros.
package manpage

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// All returns the pages of a program and all its commands, by the name of the file, such as expert-analyze.1. They depend on nothing
// but the commands: there is no date and no version in them.
func All(root *cobra.Command) map[string]string {
	pages := map[string]string{}
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		pages[name(c)+".1"] = page(c)
		for _, sub := range commands(c) {
			walk(sub)
		}
	}
	walk(root)
	return pages
}

// name is what the page of a command is called.
func name(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// commands are those below a command that have a page: what cobra adds by itself has none.
func commands(c *cobra.Command) (list []*cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" && sub.Name() != "completion" {
			list = append(list, sub)
		}
	}
	return list
}

// page writes a page.
func page(c *cobra.Command) string {
	var p roff
	p.macro(".TH", strings.ToUpper(name(c)), "1", "", c.Root().Name(), "User Commands")
	p.macro(".SH", "NAME")
	p.text(name(c) + " - " + c.Short)
	p.macro(".SH", "SYNOPSIS")
	if c.Runnable() {
		p.text(c.UseLine())
	}
	if len(commands(c)) > 0 {
		p.out.WriteString(".PP\n")
		p.text(c.CommandPath() + " COMMAND …")
	}
	p.macro(".SH", "DESCRIPTION")
	p.prose(c.Long)
	if c.Long == "" {
		p.text(c.Short + ".")
	}
	p.list("COMMANDS", commands(c))
	p.flags("OPTIONS", c.NonInheritedFlags().FlagUsages())
	p.flags("OPTIONS OF ALL COMMANDS", c.InheritedFlags().FlagUsages())
	if c.Example != "" {
		p.macro(".SH", "EXAMPLES")
		p.prose(c.Example)
	}
	p.related(c)
	return p.out.String()
}

// roff is a page in the making.
type roff struct{ out strings.Builder }

// macro writes a request with its arguments.
func (p *roff) macro(request string, arguments ...string) {
	p.out.WriteString(request)
	for _, a := range arguments {
		p.out.WriteString(` "` + strings.ReplaceAll(escape(a), `"`, `\(dq`) + `"`)
	}
	p.out.WriteString("\n")
}

// text writes a line of text, which must not begin as a request does.
func (p *roff) text(line string) {
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		p.out.WriteString(`\&`)
	}
	p.out.WriteString(escape(line) + "\n")
}

// prose writes text as terminals show it: paragraphs are filled again, indented lines are kept as they are.
func (p *roff) prose(text string) {
	kept := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		switch indented := strings.HasPrefix(line, " "); {
		case indented && !kept:
			p.out.WriteString(".PP\n.nf\n")
			kept = true
		case !indented && kept:
			p.out.WriteString(".fi\n.PP\n")
			kept = false
		case line == "":
			p.out.WriteString(".PP\n")
		}
		if line != "" {
			p.text(line)
		}
	}
	if kept {
		p.out.WriteString(".fi\n")
	}
}

// list writes commands with what they do.
func (p *roff) list(heading string, list []*cobra.Command) {
	for i, c := range list {
		if i == 0 {
			p.macro(".SH", heading)
		}
		p.out.WriteString(".TP\n")
		p.macro(".BR", name(c), "(1)")
		p.text(c.Short)
	}
}

// option is a flag in the text that cobra makes of flags, with what it does.
var option = regexp.MustCompile(`^ +(-.*?) {3,}(.*)$`)

// flags writes flags, as cobra describes them, a line each.
func (p *roff) flags(heading, usages string) {
	for i, line := range strings.Split(strings.TrimRight(usages, "\n"), "\n") {
		parts := option.FindStringSubmatch(line)
		if parts == nil {
			continue
		}
		if i == 0 {
			p.macro(".SH", heading)
		}
		p.out.WriteString(".TP\n")
		p.macro(".B", parts[1])
		p.text(strings.TrimSpace(parts[2]))
	}
}

// related names the pages above and beside.
func (p *roff) related(c *cobra.Command) {
	var names []string
	if parent := c.Parent(); parent != nil {
		names = append(names, name(parent))
		for _, sub := range commands(parent) {
			if sub != c {
				names = append(names, name(sub))
			}
		}
	}
	if len(names) == 0 {
		return
	}
	p.macro(".SH", "SEE ALSO")
	for i, n := range names {
		comma := ","
		if i == len(names)-1 {
			comma = ""
		}
		p.macro(".BR", n, "(1)"+comma)
	}
}

// escape writes characters that mean something to roff, and those beyond ASCII, so that they are shown.
func escape(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r == '^':
			b.WriteString(`\(ha`)
		case r == '~':
			b.WriteString(`\(ti`)
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
