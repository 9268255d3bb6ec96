package pprof_test

import (
	"testing"

	"tracerec/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Roomy(m) }
