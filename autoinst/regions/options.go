package regions

import (
	"fmt"
	"os"
	"strings"

	"tracerec/internal/regionfilter"
)

// Help describes the options that Take takes.
const Help = `  --include PATTERN  make functions of this name regions, even small ones
  --exclude PATTERN  make functions of this name no regions; the last wins
  --filter FILE      leave out functions as a filter of Score-P says, such as
                     expert score -o FILE writes
  --deps PATTERN     instrument packages of dependencies, too: all, or an import
                     path, also with /... at its end
  --functions        say how many functions of each package are regions
A PATTERN is one of a shell: 'parser.*', '*.String', 'example.org/x/parse.*'.
Comments before a function overrule these rules: //tracerec:region, and
//tracerec:noregion.`

// Take takes the options off the begin of a command line. Those of the go command follow.
func (o *Options) Take(args []string) (rest []string, err error) {
	for len(args) > 0 && strings.HasPrefix(args[0], "--") {
		name, value, joined := strings.Cut(args[0][2:], "=")
		if name == "functions" && !joined {
			o.Say, args = true, args[1:]
			continue
		}
		switch name {
		case "include", "exclude", "filter", "deps":
		default:
			return args, nil
		}
		args = args[1:]
		if !joined {
			if len(args) == 0 {
				return nil, fmt.Errorf("--%s needs a value", name)
			}
			value, args = args[0], args[1:]
		}
		if err := o.set(name, value); err != nil {
			return nil, fmt.Errorf("--%s: %w", name, err)
		}
	}
	return args, nil
}

func (o *Options) set(name, value string) error {
	if name != "filter" {
		if err := regionfilter.Check(value); err != nil {
			return err
		}
	}
	switch name {
	case "deps":
		o.Deps = append(o.Deps, value)
	case "filter":
		file, err := os.Open(value)
		if err != nil {
			return err
		}
		defer file.Close()
		f, err := regionfilter.Read(file)
		if err != nil {
			return fmt.Errorf("%s: %w", value, err)
		}
		o.Filter.Files = append(o.Filter.Files, f.Files...)
		o.Filter.Regions = append(o.Filter.Regions, f.Regions...)
	default:
		o.Rules = append(o.Rules, regionfilter.Rule{Exclude: name == "exclude", Pattern: value})
	}
	return nil
}
