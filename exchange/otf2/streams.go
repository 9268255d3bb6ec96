package otf2

// acceleratorStream is the type of locations that execute what threads give to a GPU or another device, as in words.go.
const acceleratorStream = 2

// isStream says whether a location is a stream of a device and no thread.
func (a *Archive) isStream(location uint64) bool {
	l := a.Find(Locations, location)
	return l != nil && l.Get("locationType") == acceleratorStream
}
