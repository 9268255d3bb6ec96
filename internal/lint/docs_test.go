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

// The command lines in documents are typed by people who have nothing else yet: programs, subcommands, flags
// and make targets must exist.
func TestCommandsInDocuments(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	documents, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	require.NoError(t, err)
	checked := make(map[string]int)
	for _, document := range append(documents, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		checked[document] = checkCommands(t, string(text), string(makefile))
	}
	for _, document := range []string{"README.md", "docs/tutorial.md"} {
		require.Positive(t, checked[filepath.Join(root, document)], "%s shows no command", document)
	}
}

// checkCommands checks the command lines in blocks and spans of code, and returns how many there are.
func checkCommands(t *testing.T, text, makefile string) (checked int) {
	code := codeBlock.FindAllString(text, -1)
	for _, span := range codeSpan.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		code = append(code, span[1])
	}
	for _, block := range code {
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
				if len(words) > 2 && words[1] == "-C" {
					words = words[2:]
				}
				for _, target := range words[1:] {
					require.Regexp(t, `(?m)^`+regexp.QuoteMeta(target)+`:`, makefile, line)
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
	return checked
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
		if strings.ContainsAny(w, ">|;") {
			break // the rest is the shell's
		}
		if filepath.Base(program) == "tracerec" && strings.ContainsAny(w, "./") && !strings.HasPrefix(w, "-") {
			break // the program to record: what follows is its own
		}
		if strings.HasPrefix(w, "-") && strings.Trim(w, "-") != "" {
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

// The functions that docs/architecture.md names on the ways of an event and of a counter are where it says, each once.
func TestWalks(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/architecture.md"))
	require.NoError(t, err)
	named := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([\\w/.]+\\.(?:go|tsx))` \\| (.*?) \\|").FindAllStringSubmatch(string(text), -1) {
		source, err := os.ReadFile(filepath.Join(root, row[1]))
		require.NoError(t, err)
		for _, f := range codeSpan.FindAllStringSubmatch(row[2], -1) {
			require.Regexp(t, `(?m)^(export )?func(tion)? (\([^)]*\) )?`+f[1]+`\b`, string(source), "%s has no %s", row[1], f[1])
			require.False(t, named[row[1]+f[1]], "%s %s is named twice", row[1], f[1])
			named[row[1]+f[1]] = true
		}
	}
	require.Greater(t, len(named), 40)
}
