package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGoStatement: goroutines that begin with the value of a variable are called by what that is, if it is a region, or by what it calls if it is a literal.
func TestGoStatement(t *testing.T) {
	for enters, want := range map[string]string{
		"":                 "main.all (go)",
		"main.save":        "main.save",
		"main.all.func1":   "main.all.func1",
		"main.all.func1 |": "main.save",
	} {
		text := "location main\n 0 enter main @m.go:1\n 0 create w @m.go:2\n 1000 exit\nlocation w\n 1 begin \"main.all (go)\" by main @m.go:3(main.all.gowrap1)\n"
		levels := ""
		if name, deeper := enters, len(enters) > 0 && enters[len(enters)-1] == '|'; name != "" {
			if deeper {
				name = name[:len(name)-2]
				levels = " 2 enter main.save @m.go:9(main.save)\n"
			}
			text += " 1 enter " + name + " @m.go:5(" + name + ")\n" + levels + " 900 exit\n"
			if deeper {
				text += " 900 exit\n"
			}
		}
		x := analyzeText(t, text+" 901 end\n")
		require.Equal(t, want, x.Groups[len(x.Groups)-1].Name, enters)
	}
}

// TestOneStatement: goroutines of one go statement are called by what they call only if that is what they do wherever they were started.
func TestOneStatement(t *testing.T) {
	worker := func(name, leaves string) string {
		return "location " + name + "\n 1 begin main.all.func1 by main @m.go:3(main.all.func1)\n 2 enter main.save @m.go:9(main.save)\n " + leaves + " exit\n 900 end\n"
	}
	for leaves, want := range map[string]string{"890": "main.save", "500": "main.all.func1"} {
		x := analyzeText(t, "location main\n 0 enter main @m.go:1\n 0 create v @m.go:2\n 0 enter again @m.go:2\n 0 create w @m.go:2\n 1000 exit\n 1000 exit\n"+
			worker("v", leaves)+worker("w", "890"))
		require.Len(t, x.Groups, 3)
		require.Equal(t, want, x.Groups[1].Name)
		require.Equal(t, want, x.Groups[2].Name)
	}
}
