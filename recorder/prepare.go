//go:build linux

package recorder

// Prepare makes the directory of an archive as recordings do: an archive of that name is moved aside, anything else of that name is an
// error. It returns where the older archive went, "" if there was none, and how to take all of that back.
func Prepare(dir string) (aside string, undo func() error, err error) {
	out, err := makeOutput(dir)
	if err != nil {
		return "", nil, err
	}
	return out.aside, out.undo, nil
}
