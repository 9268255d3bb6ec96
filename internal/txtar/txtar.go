// Package txtar reads several small text files out of one: each begins at a line "-- name --", and what
// precedes the first is a comment.
package txtar

import "strings"

// File is one of the files.
type File struct {
	Name string
	Data string
}

// Parse splits text into its comment and its files. A file ends with a newline unless it is empty.
func Parse(text string) (comment string, files []File) {
	into := new(strings.Builder)
	var bodies []*strings.Builder
	head := into
	for line := range strings.Lines(text) {
		if name, ok := marker(line); ok {
			into = new(strings.Builder)
			bodies = append(bodies, into)
			files = append(files, File{Name: name})
			continue
		}
		into.WriteString(strings.TrimRight(line, "\r\n"))
		into.WriteByte('\n')
	}
	for i, b := range bodies {
		files[i].Data = b.String()
	}
	return head.String(), files
}

// Get returns the file of that name, or "" if there is none.
func Get(files []File, name string) string {
	for _, f := range files {
		if f.Name == name {
			return f.Data
		}
	}
	return ""
}

func marker(line string) (name string, ok bool) {
	line = strings.TrimSpace(line)
	name, ok = strings.CutPrefix(line, "-- ")
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, " --")
	return strings.TrimSpace(name), ok && name != ""
}
