package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/trace/wire"
)

func TestNamesOfFunctions(t *testing.T) {
	for function, want := range map[string][2]string{
		"main.main":                        {"main", "main.main"},
		"net/http.(*conn).serve":           {"net/http", "http.(*conn).serve"},
		"gopkg.in/tomb%2ev2.(*Tomb).run":   {"gopkg.in/tomb.v2", "tomb.v2.(*Tomb).run"},
		"example.org/ants/v2.(*Pool).run":  {"example.org/ants/v2", "ants.(*Pool).run"},
		"example.org/v1.F[go.shape.x/y.T]": {"example.org/v1", "example.org.F[go.shape.x/y.T]"},
		"x%2ey.(*a%2e).f":                  {"x.y", "x.y.(*a%2e).f"},
		"memeqbody":                        {"", "memeqbody"},
	} {
		require.Equal(t, want, [2]string{wire.Package(function), wire.ShortName(function)}, function)
	}
}
