//go:build !race

package count

const raceDetector = false
