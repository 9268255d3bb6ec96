//go:build linux && race

package simulated

const raceDetector = true
