package naming

import (
	"bufio"
	"cmp"
	"go/build"
	"go/build/constraint"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// compiles says whether a file may be of the program: it is for the program's processor and this system, whatever tags and version of Go the program may be built with. Tests of packages that others have made are of no program, unless
// some were asked about.
func (n *Names) compiles(dir, name string, tests bool) bool {
	if isTest(name) && !tests && n.isOthers(dir) {
		return false
	}
	c := build.Default
	c.GOARCH = cmp.Or(n.arch, c.GOARCH)
	if is, err := c.MatchFile(dir, name); is || err != nil {
		return true
	}
	tags := freeTags(filepath.Join(dir, name))
	if len(tags) > mostTags {
		return true
	}
	c.ReleaseTags, c.ToolTags = nil, nil
	for choice := range 2 << len(tags) { // with cgo, without, and with each choice of the tags
		c.CgoEnabled, c.BuildTags = choice&1 != 0, nil
		for i, tag := range tags {
			if choice>>(i+1)&1 != 0 {
				c.BuildTags = append(c.BuildTags, tag)
			}
		}
		if is, err := c.MatchFile(dir, name); is || err != nil {
			return true
		}
	}
	return false
}

// mostTags is with how many tags a file is looked at in detail.
const mostTags = 4

// isOthers says whether a directory is one of the module cache, or of Go.
func (n *Names) isOthers(dir string) bool {
	below := func(root string) bool { return root != "" && strings.HasPrefix(dir, root+string(filepath.Separator)) }
	return below(n.cache) || below(filepath.Join(build.Default.GOROOT, "src"))
}

// systems are the tags that systems have; others are of whoever builds the program.
const systems = `aix android darwin dragonfly freebsd hurd illumos ios js linux nacl netbsd openbsd plan9 solaris wasip1 windows zos unix
	386 amd64 amd64p32 arm armbe arm64 arm64be loong64 mips mipsle mips64 mips64le mips64p32 mips64p32le ppc ppc64 ppc64le riscv riscv64 s390 s390x sparc sparc64 wasm gc gccgo cgo ignore`

// freeTags returns the tags of a file's build constraint that whoever builds the program may choose.
func freeTags(file string) (tags []string) {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	known := strings.Fields(systems)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "package ") {
			break
		}
		x, err := constraint.Parse(strings.TrimSpace(lines.Text()))
		if err != nil {
			continue
		}
		for _, answer := range []bool{false, true} { // which others are asked for depends on it
			x.Eval(func(tag string) bool {
				if !slices.Contains(known, tag) && !slices.Contains(tags, tag) {
					tags = append(tags, tag)
				}
				return answer
			})
		}
	}
	return tags
}
