//go:build !race

package instrument_test

const raceDetector = false
