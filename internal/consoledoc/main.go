// Command consoledoc runs the commands that documents show, in one directory and in their order, and writes their output into the documents.
//
// A command is a line that begins with "$ " in a fenced block; what follows, up to the next command or the end of the block, is its
// output. Output that ends with a line "…" is cut: it keeps its number of lines. A command in a comment <!-- run: COMMAND --> on a line of its own runs, too,
// but its output is not shown.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

func main() {
	dir := flag.String("dir", ".", "directory in which commands run")
	flag.Parse()
	shell := func(command string) (string, error) { return run(*dir, command) }
	for _, file := range flag.Args() {
		if err := update(file, shell); err != nil {
			fmt.Fprintf(os.Stderr, "consoledoc: %s: %v\n", file, err)
			os.Exit(1)
		}
	}
}

func update(file string, shell func(command string) (string, error)) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	renewed, err := renew(string(text), shell)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(renewed), 0o644)
}

// run returns what a command prints. Status 1 is an answer, as of expert check; more is a failure.
func run(dir, command string) (string, error) {
	cmd := exec.Command("bash", "-c", command)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", command, err, out)
	}
	return string(out), nil
}

var hidden = regexp.MustCompile(`^<!-- run: (.*) -->$`)

// renew returns the document with new output of all commands.
func renew(text string, shell func(command string) (string, error)) (string, error) {
	const fence, cut = "```", "…"
	lines := strings.Split(text, "\n")
	var renewed []string
	fenced := false
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		renewed = append(renewed, line)
		if strings.HasPrefix(line, fence) {
			fenced = !fenced
		}
		if m := hidden.FindStringSubmatch(line); m != nil && !fenced {
			if _, err := shell(m[1]); err != nil {
				return "", err
			}
		}
		command, shown := strings.CutPrefix(line, "$ ")
		if !fenced || !shown {
			continue
		}
		rest := lines[i+1:]
		end := slices.IndexFunc(rest, func(l string) bool { return strings.HasPrefix(l, "$ ") || strings.HasPrefix(l, fence) })
		if end < 0 {
			return "", fmt.Errorf("%s: the block does not end", line)
		}
		out, err := shell(command)
		if err != nil {
			return "", err
		}
		output := strings.Split(strings.TrimRight(out, "\n"), "\n")
		if keep := end - 1; keep >= 0 && rest[keep] == cut && len(output) > keep {
			output = append(output[:keep], cut)
		}
		if out != "" {
			renewed = append(renewed, output...)
		}
		i += end
	}
	return strings.Join(renewed, "\n"), nil
}
