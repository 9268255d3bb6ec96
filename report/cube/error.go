package cube

import "fmt"

// FormatError says what is wrong with a file, and where.
type FormatError struct {
	File   string // as the caller called it
	Member string // of the archive; "" for the archive itself
	Offset int64  // in the member, uncompressed; or in the file
	What   string
	// None: nothing in the file tells that it is a report, not even a damaged one.
	None bool
}

func (e *FormatError) Error() string {
	if e.Member == "" {
		return fmt.Sprintf("%s: offset %d: %s", e.File, e.Offset, e.What)
	}
	return fmt.Sprintf("%s: %s: offset %d: %s", e.File, e.Member, e.Offset, e.What)
}
