package limit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Collect returns the limits of a file, "" for none, and those that are given by themselves; there has to be one.
func Collect(texts []string, config string) (list []Limit, err error) {
	if config != "" {
		f, err := os.Open(config)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if list, err = read(config, f); err != nil {
			return nil, err
		}
	}
	for _, text := range texts {
		l, err := Parse(text)
		if err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	if len(list) == 0 {
		return nil, errors.New("no limits; for instance --max lock_competition=5%")
	}
	return list, nil
}

// InRepository returns the path of a source file relative to the checkout if it lies below, as annotations want it.
func InRepository(file string) string {
	root := os.Getenv("GITHUB_WORKSPACE")
	if root == "" {
		root, _ = os.Getwd()
	}
	if relative, err := filepath.Rel(root, file); err == nil && !strings.HasPrefix(relative, "..") {
		file = relative
	}
	return filepath.ToSlash(file)
}
