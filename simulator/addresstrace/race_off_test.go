//go:build !race

package addresstrace

const raceDetector = false
