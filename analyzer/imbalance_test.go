package analyzer_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// crowd is a program whose goroutines, all started by one call with one function, begin with a region each of the given names, which takes 256 ns.
func crowd(function string, regions []string) string {
	s, work := "location main\n", ""
	for i, region := range regions {
		s += fmt.Sprintf(" 0 create t%d @/go/src/testing/testing.go:9(testing.(*T).Run)\n", i)
		work += fmt.Sprintf("location t%d\n 0 begin %s by main @/m/a_test.go:1(%[2]s)\n", i, function)
		if region != "" {
			work += fmt.Sprintf(" 0 enter %s @/m/a_test.go:5(example.org/m.%[1]s)\n 256 exit\n", region)
		}
		work += " 256 end\n"
	}
	return s + " 256 end\n" + work
}

// TestOtherWork: where fewer than one of 256 goroutines of a group come to a call path, the rest does not lack it: what would be said of these is as much as they are times such call paths. Of 256, one has
// 255 ns more than the mean of 1, and 255 lack that; of 512 it is the same with two; one of 257 is not compared.
func TestOtherWork(t *testing.T) {
	for _, c := range []struct{ members, come, over int }{{256, 1, 255}, {257, 1, 0}, {512, 2, 2 * 255}, {513, 2, 0}} {
		regions := make([]string, c.members)
		for i := range c.come {
			regions[10*i] = "parse"
		}
		x := analyzeText(t, crowd("example.org/m.worker", regions))
		over, under := values(x, "overload")["parse"]+values(x, "imbalance_above_single")["parse"], values(x, "underload")["parse"]+values(x, "imbalance_below_singularity")["parse"]+values(x, "imbalance_below_bypass")["parse"]
		require.EqualValues(t, c.over, over, c)
		require.Equal(t, over, under, c)
	}
}

// TestTestsAreOtherWork: goroutines that run tests are not compared with each other, also if two run the same one; others that begin with regions of such names are.
func TestTestsAreOtherWork(t *testing.T) {
	for function, compared := range map[string]bool{"testing.tRunner": false, "testing.(*B).launch": false, "main.tRunner": true} {
		x := analyzeText(t, crowd(function, []string{"TestPush", "TestPop", "TestPush", ""}))
		told := 0
		for i, m := range x.Metrics {
			if strings.HasPrefix(m.Name, "imbalance") || m.Name == "overload" || m.Name == "underload" {
				for _, c := range x.Cells(i) {
					if strings.HasPrefix(x.Regions[x.Paths[c.Path].Region].Name, "Test") {
						told++
					}
				}
			}
		}
		require.Equal(t, compared, told > 0, "%s: %d", function, told)
	}
}

// TestComparedRounds: goroutines are compared with those of their group that they live with. The first two have 10 ns each; of the next two, which begin when those have ended, one has 15 ns more than the mean of 85. One
// who comes later and has 80 ns is compared with them if he lives half of that with them: then the mean is 83.
func TestComparedRounds(t *testing.T) {
	for begin, over := range map[int]int{80: 17, 81: 15} {
		program := "location main\n 0 enter main @main.go:1\n"
		workers := ""
		for i, life := range [][2]int{{0, 10}, {0, 10}, {20, 120}, {20, 90}, {begin, begin + 80}} {
			program += fmt.Sprintf(" %d create w%d @main.go:2\n", life[0], i)
			workers += fmt.Sprintf("location w%d\n %d begin worker by main\n %[2]d enter sum @sum.go:8\n %[3]d exit\n %[3]d end\n", i, life[0], life[1])
		}
		x := analyzeText(t, program+" 200 exit\n 200 end\n"+workers)
		require.EqualValues(t, over, values(x, "overload")["sum"], begin)
	}
}
