package build

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tracerec/autoinst/regions"
)

// reachDeps makes it possible to replace files of modules that --deps names and that are in the module cache, where the go command refuses it: by a
// copy of go.mod in which links to there take their place.
func (b *Build) reachDeps(patterns []string) error {
	if len(patterns) == 0 {
		return nil
	}
	a := b.a
	list := slices.Concat([]string{"list"}, a.chdir(), []string{"-e", "-deps", "-f", "{{.ImportPath}}\t{{with .Module}}{{.Path}}@{{.Version}}\t{{.Dir}}{{end}}"})
	if a.verb == "test" {
		list = append(list, "-test")
	}
	out, err := b.t.output(slices.Concat(list, a.those(resolving), a.packages)...)
	if err != nil {
		return fmt.Errorf("%w: %w", errGo, err)
	}
	replace := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, module, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		module, dir, ok := strings.Cut(module, "\t")
		path, _, _ = strings.Cut(path, " ")
		if ok && beneath(dir, b.t.GOMODCACHE) && regions.Matches(patterns, path) {
			replace[module] = dir
		}
	}
	if len(replace) == 0 {
		return nil
	}
	return b.replaceModules(replace)
}

// replaceModules lets the go command take modules from elsewhere.
func (b *Build) replaceModules(replace map[string]string) error {
	out, err := b.t.output(slices.Concat([]string{"env"}, b.a.chdir(), []string{"GOMOD", "GOWORK"})...)
	if err != nil {
		return fmt.Errorf("%w: %w", errGo, err)
	}
	mod, work, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if work != "" && work != "off" {
		return errors.New("--deps: modules in the module cache cannot be instrumented from a workspace; GOWORK=off in the environment leaves it")
	}
	if given := b.a.value("modfile"); given != "" {
		mod = b.at(given)
	}
	file := filepath.Join(b.dir, "go.mod")
	for from, to := range map[string]string{mod: file, strings.TrimSuffix(mod, ".mod") + ".sum": filepath.Join(b.dir, "go.sum")} {
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, text, 0o666)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	edit := []string{"mod", "edit"}
	for module, dir := range replace {
		link, err := linked("modules", module, dir)
		if err != nil {
			return err
		}
		edit = append(edit, "-replace="+module+"="+link)
	}
	if _, err := b.t.output(append(edit, file)...); err != nil {
		return fmt.Errorf("--deps: %w", err)
	}
	b.a.set("modfile", file)
	return nil
}

// linked returns a link in the user's cache to a directory of the module cache. It is always the same, because it is part of what is built.
func linked(kind, name, dir string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	link := filepath.Join(cache, "tracerec", kind, filepath.FromSlash(name))
	if to, err := os.Readlink(link); err == nil && to == dir {
		return link, nil
	}
	fresh := fmt.Sprintf("%s.%d", link, os.Getpid())
	return link, errors.Join(os.MkdirAll(filepath.Dir(link), 0o777), os.Symlink(dir, fresh), os.Rename(fresh, link))
}
