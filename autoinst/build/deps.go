package build

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"tracerec/autoinst/regions"
)

// reachDeps makes it possible to replace files of modules that --deps names and that are in the module cache, where the go command refuses it: by a
// copy of go.mod or go.work in which links to there take their place. Patterns that name nothing are told to the user.
func (b *Build) reachDeps(patterns []string) error {
	if len(patterns) == 0 {
		return nil
	}
	a := b.a
	list := slices.Concat([]string{"list"}, a.chdir(), []string{"-e", "-deps", "-f",
		"{{if not .Standard}}{{.ImportPath}}\t{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}\t{{.Dir}}{{end}}{{end}}{{end}}"})
	if a.verb == "test" {
		list = append(list, "-test")
	}
	out, err := b.t.output(slices.Concat(list, a.those(resolving), a.packages)...)
	if err != nil {
		return fmt.Errorf("%w: %w", errGo, err)
	}
	replace, used := map[string]string{}, map[string]bool{}
	for line := range strings.Lines(string(out)) {
		path, module, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		module, dir, ok := strings.Cut(module, "\t")
		path, _, _ = strings.Cut(path, " ")
		for _, pattern := range patterns {
			if ok && regions.Matches([]string{pattern}, path) {
				used[pattern] = true
				if beneath(dir, b.t.GOMODCACHE) {
					replace[module] = dir
				}
			}
		}
	}
	if unused := slices.DeleteFunc(slices.Clone(patterns), func(pattern string) bool { return used[pattern] }); len(unused) > 0 {
		b.warn("--deps " + strings.Join(unused, ", ") + ": nothing of this name is in the modules that these packages depend on")
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
	var edit []string
	var file string
	if work != "" && work != "off" {
		file = filepath.Join(b.dir, "go.work")
		err = copied(map[string]string{work: file, work + ".sum": file + ".sum"})
		if err == nil {
			edit, err = b.moved(file, filepath.Dir(work))
		}
		b.t.setenv("GOWORK=" + file)
	} else {
		if given := b.a.value("modfile"); given != "" {
			mod = b.at(given)
		}
		file, edit = filepath.Join(b.dir, "go.mod"), []string{"mod", "edit"}
		err = copied(map[string]string{mod: file, strings.TrimSuffix(mod, ".mod") + ".sum": filepath.Join(b.dir, "go.sum")})
		b.a.set("modfile", file)
	}
	if err != nil {
		return err
	}
	for module, dir := range replace {
		link, err := linkedModule(module, dir)
		if err != nil {
			return err
		}
		edit = append(edit, "-replace="+module+"="+link)
	}
	if _, err := b.t.output(append(edit, file)...); err != nil {
		return fmt.Errorf("--deps: %w", err)
	}
	return nil
}

// copied copies those files that are there.
func copied(files map[string]string) error {
	for from, to := range files {
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, text, 0o666)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// moved returns the beginning of a go command that edits a go.work, copied from a directory, so that it names the same files as there.
func (b *Build) moved(file, from string) (edit []string, err error) {
	text, err := b.t.output("work", "edit", "-json", file)
	if err != nil {
		return nil, err
	}
	type module struct{ Path, Version string }
	var work struct {
		Use     []struct{ DiskPath string }
		Replace []struct{ Old, New module }
	}
	if err := json.Unmarshal(text, &work); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	edit = []string{"work", "edit"}
	for _, u := range work.Use {
		if !filepath.IsAbs(u.DiskPath) {
			edit = append(edit, "-dropuse="+u.DiskPath, "-use="+filepath.Join(from, u.DiskPath))
		}
	}
	for _, r := range work.Replace {
		if r.New.Version == "" && !filepath.IsAbs(r.New.Path) {
			edit = append(edit, "-replace="+strings.TrimSuffix(r.Old.Path+"@"+r.Old.Version, "@")+"="+filepath.Join(from, r.New.Path))
		}
	}
	return edit, nil
}

// linkedModule returns a link to a module, or a directory of links if it is without go.mod. In their names go work edit takes what is behind @ for a version.
func linkedModule(module, dir string) (string, error) {
	path, version, _ := strings.Cut(module, "@")
	name := filepath.Join(path, version)
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); !errors.Is(err, os.ErrNotExist) {
		return linked("modules", name, dir)
	}
	entries, err := os.ReadDir(dir)
	mod := ""
	for _, e := range entries {
		link, failed := linked("modules", filepath.Join(name, e.Name()), filepath.Join(dir, e.Name()))
		err, mod = errors.Join(err, failed), filepath.Join(filepath.Dir(link), "go.mod")
	}
	if err != nil || mod == "" {
		return dir, err
	}
	return filepath.Dir(mod), os.WriteFile(mod, []byte("module "+path+"\n"), 0o666)
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
