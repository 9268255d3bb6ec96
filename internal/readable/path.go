package readable

import (
	"strconv"
	"strings"
)

// Arrow separates the regions of a call path.
const Arrow = " ▸ "

// Path writes a call path in w columns. Regions in the middle go first, then the root: the last two tell most.
func Path(names []string, w int) string {
	n := len(names)
	if n == 0 {
		return ""
	}
	var candidates []string
	most := (w + Width(Arrow)) / (1 + Width(Arrow)) // so many names fit, if they are not empty
	if n <= most {
		candidates = append(candidates, strings.Join(names, Arrow))
	}
	for keep := min(n-2, most); keep >= 2; keep-- {
		candidates = append(candidates, names[0]+Arrow+"…"+Arrow+strings.Join(names[n-keep:], Arrow))
	}
	if n > 2 {
		candidates = append(candidates, "…"+Arrow+strings.Join(names[n-2:], Arrow), names[0]+Arrow+"…"+Arrow+names[n-1])
	}
	if n > 1 {
		candidates = append(candidates, "…"+Arrow+names[n-1])
	}
	for _, c := range candidates {
		if Width(c) <= w {
			return c
		}
	}
	return Elide(names[n-1], w)
}

// PathEnd writes the last regions of a call path, at most so many.
func PathEnd(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, Arrow)
	}
	return "…" + Arrow + strings.Join(names[len(names)-most:], Arrow)
}

// Place writes where something stands in the source: "mesh.go:17", without a line if none is known, "" without a file.
func Place(file string, line int) string {
	if file = Clean(file); file != "" && line > 0 {
		file += ":" + strconv.Itoa(line)
	}
	return file
}

// Base is the last part of the name of a file, which may be of another system.
func Base(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }
