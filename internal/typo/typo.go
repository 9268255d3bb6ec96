// Package typo guesses which name a mistyped one was meant to be.
package typo

import "strings"

// most is how many letters of a mistyped name may be wrong, as in commands.
const most = 2

// Near says whether a name may be what somebody meant who typed another, in whatever case: at most two letters are wrong, missing or too
// many, and fewer than half of those that were typed.
func Near(typed, name string) bool {
	a, b := []rune(strings.ToLower(typed)), []rune(strings.ToLower(name))
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return false
	}
	d := distance(a, b)
	return d <= most && 2*d < len(a)
}

// distance is how many letters must be changed, added or removed to make b of a.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1) // of the letters of a so far, to each beginning of b
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		before := row[0]
		row[0] = i + 1
		for j, y := range b {
			changed := before
			if x != y {
				changed++
			}
			before = row[j+1]
			row[j+1] = min(changed, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}
