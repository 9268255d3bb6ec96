package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgramName(t *testing.T) {
	for program, want := range map[string]string{
		"./app": "./app", "/tmp/tracerec-build-1/words": "words", "/tmp/go-build7/b001/x.test": "x.test", "/srv/app": "/srv/app", "": "",
	} {
		require.Equal(t, want, programName(program))
	}
}
