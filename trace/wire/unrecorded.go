package wire

import "strings"

const visitsOf, tooMany = "visits of ", " that were too short and too many to record"

// UnrecordedVisits is the name by which visits of a region are counted that are not recorded.
func UnrecordedVisits(region string) string { return visitsOf + region + tooMany }

// Unrecorded returns the region whose visits are counted by a name, if they are.
func Unrecorded(name string) (region string, ok bool) {
	region, ok = strings.CutPrefix(name, visitsOf)
	region, is := strings.CutSuffix(region, tooMany)
	return region, ok && is
}
