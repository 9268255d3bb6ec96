//go:build !race

package simulated

const raceDetector = false
