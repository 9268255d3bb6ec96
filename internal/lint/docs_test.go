package lint

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracerec/internal/testkit"
)

var (
	codeBlock = regexp.MustCompile("(?s)```.*?```|(?m)^(?:    .*\n)+")
	codeSpan  = regexp.MustCompile("`([^`\n]+)`")
)

// The command lines in README are typed by people who have nothing else yet: programs, subcommands, flags
// and make targets must exist.
func TestCommandsInREADME(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)

	checked := 0
	for _, block := range codeBlock.FindAllString(string(readme), -1) {
		for _, line := range strings.Split(block, "\n") {
			words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "$ "))
			if i := slices.Index(words, "#"); i >= 0 {
				words = words[:i]
			}
			if len(words) == 0 {
				continue
			}
			switch program := filepath.Base(words[0]); program {
			case "make":
				for _, target := range words[1:] {
					require.Regexp(t, `(?m)^`+regexp.QuoteMeta(target)+`:`, string(makefile), line)
					checked++
				}
			case "expert", "tracerec":
				if len(words) > 1 {
					checkCommand(t, testkit.Build(t, nil, "tracerec/cmd/"+program), words[1:])
					checked++
				}
			}
		}
	}
	require.Positive(t, checked, "README shows no command")
}

// checkCommand requires that a program knows the subcommand and the flags of a command line.
func checkCommand(t *testing.T, program string, words []string) {
	var help []string
	if !strings.HasPrefix(words[0], "-") && !strings.ContainsAny(words[0], "./") {
		help = append(help, words[0])
	}
	out, err := exec.Command(program, append(help, "--help")...).CombinedOutput()
	require.NoError(t, err, "%s %v: %s", program, words, out)
	require.Regexp(t, `(?m)^  (\w+ )?`+filepath.Base(program)+` ?`+strings.Join(help, ""), string(out), "%v", words)
	for _, w := range words {
		if strings.ContainsAny(w, "./") && !strings.HasPrefix(w, "-") {
			break // the program to record, or the input: what follows is not ours
		}
		if strings.HasPrefix(w, "-") && w != "--" {
			flag, _, _ := strings.Cut(w, "=")
			require.Regexp(t, `(^|[\s,])`+regexp.QuoteMeta(flag)+`([\s,=]|$)`, string(out), "%v", words)
		}
	}
}

// Files and directories that the documents name in code spans exist.
func TestPathsInDocuments(t *testing.T) {
	path := regexp.MustCompile(`^[\w.-]+(/[\w.*-]+)+/?$|^[\w-]+\.(go|md|s)$`)
	files(t, func(name string, text []byte) {
		if strings.HasPrefix(name, "bench/") || strings.Contains(name, "testdata/") {
			return
		}
		prose := codeBlock.ReplaceAllString(string(text), "")
		for _, m := range codeSpan.FindAllStringSubmatch(prose, -1) {
			p := m[1]
			first, _, nested := strings.Cut(p, "/")
			if !path.MatchString(p) || nested && !exists(first) {
				continue
			}
			if !exists(p) && !exists(filepath.Join(filepath.Dir(name), p)) {
				t.Errorf("%s names %s, which does not exist", name, p)
			}
		}
	}, ".md")
}

func exists(pattern string) bool {
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
	return err == nil && len(found) > 0
}
