package inputs

import (
	"fmt"
	"io"
	"strings"

	"tracerec/report/query"
)

// maxRemapping limits a specification, in bytes. Those in use have 150 000.
const maxRemapping = 64 << 20

// Remapping reads a specification of how metrics are arranged: a text, or what a report brings along.
func Remapping(file string) (string, error) {
	info, err := Stat(file)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", fmt.Errorf("%s: no specification of metrics", file)
	}
	r, done, err := Open(file)
	if err != nil {
		return "", err
	}
	defer done()
	if r.Size() > maxRemapping {
		return "", fmt.Errorf("%s: no specification of metrics", Called(file))
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(strings.TrimSpace(string(text)), "<") && !strings.Contains(string(text[:min(len(text), 1000)]), "<cube ") {
		return string(text), nil
	}
	c, err := Cube(file)
	if err != nil {
		return "", err
	}
	defer c.Close()
	spec, ok := query.Embedded(c)
	if !ok {
		return "", fmt.Errorf("%s: the report has no specification of metrics", Called(file))
	}
	return spec, nil
}
