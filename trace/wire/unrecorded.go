package wire

import "strings"

const visitsOf, tooMany, atLeast = "visits of ", " that were too short and too many to record", ", at least"

// UnrecordedVisits is the name by which visits of a region are counted that are not recorded: all of them, or there were more.
func UnrecordedVisits(region string, more bool) string {
	if more {
		return visitsOf + region + tooMany + atLeast
	}
	return visitsOf + region + tooMany
}

// TellsVisits says whether a message is about such visits.
func TellsVisits(message string) bool {
	return strings.Contains(message, visitsOf) && strings.Contains(message, tooMany)
}

// Unrecorded returns the region whose visits are counted by a name, if they are, and whether there were more.
func Unrecorded(name string) (region string, more, ok bool) {
	region, ok = strings.CutPrefix(name, visitsOf)
	region, more = strings.CutSuffix(region, atLeast)
	region, is := strings.CutSuffix(region, tooMany)
	return region, more, ok && is
}
