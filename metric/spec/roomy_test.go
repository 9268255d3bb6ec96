package spec

import (
	"testing"

	"tracerec/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Roomy(m) }
