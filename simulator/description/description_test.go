package description

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type part struct {
	Size uint64 `json:"size"`
	Low  int    `json:"low,omitempty"`
}

type whole struct {
	Name  string   `json:"-"`
	Title string   `json:"title"`
	Part  part     `json:"part"`
	Other *part    `json:"other"`
	Yes   bool     `json:"yes"`
	Words []string `json:"words"`
	Parts []part   `json:"parts"`
}

func read(text string) (*whole, error) {
	t := &whole{Title: "before", Part: part{1, 2}, Other: &part{3, 4}, Words: []string{"old"}}
	return Read(strings.NewReader(text), t, func(w *whole) error {
		if w.Part.Size == 13 {
			return errors.New("unlucky")
		}
		return nil
	})
}

// What a description says replaces what was there, field by field; sizes have units.
func TestRead(t *testing.T) {
	w, err := read(`{"part": {"size": "32k"}, "other": null, "yes": true, "words": ["a", "b"], "parts": [{"size": 5}, {"low": -6}]}`)
	require.NoError(t, err)
	require.Equal(t, &whole{Title: "before", Part: part{32 << 10, 2}, Yes: true, Words: []string{"a", "b"}, Parts: []part{{5, 0}, {0, -6}}}, w)
	w, err = read(`{"title": "x", "other": {"low": 7}}` + "\n")
	require.NoError(t, err)
	require.Equal(t, &whole{Title: "x", Part: part{1, 2}, Other: &part{3, 7}, Words: []string{"old"}}, w)
	w, err = read(`{"part": {"size": 13}}`)
	require.EqualError(t, err, "unlucky")
	require.EqualValues(t, 13, w.Part.Size)
}

// What is wrong is said in one line, with the line where it is and the name of what it is about.
func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "line 1: the description ends too early",
		"{\n":                                  "line 1: the description ends too early",
		"[]":                                   "line 1: not an object { … }",
		"{}\n{}":                               "line 2: there is something after the description",
		"{\n\"part\": {\n\"size\": \"huge\"}}": `line 3: part.size: "huge" is not a number such as 8, 32k or 4M`,
		"{\n\"part\": {\"size\": -1}}":         `line 2: part.size: "-1" is not a number such as 8, 32k or 4M`,
		`{"part": {"size": 1.5}}`:              `line 1: part.size: "1.5" is not a number such as 8, 32k or 4M`,
		`{"part": {"size": 99999999999999999999}}`: `line 1: part.size: "99999999999999999999" is not a number such as 8, 32k or 4M`,
		`{"part": {"size": true}}`:                 "line 1: part.size: not a number",
		`{"part": {"size": null}}`:                 "line 1: part.size: not a number",
		`{"part": {"size": {}}}`:                   "line 1: part.size: not a number",
		`{"part": 7}`:                              "line 1: part: not an object { … }",
		`{"other": 7}`:                             "line 1: other: not an object { … }",
		`{"yes": "true"}`:                          "line 1: yes: not true or false",
		`{"title": 7}`:                             "line 1: title: not a text",
		`{"words": "a"}`:                           "line 1: words: not a list [ … ]",
		`{"words": ["a", 7]}`:                      "line 1: words[1]: not a text",
		`{"parts": [{"sise": 7}]}`:                 `line 1: parts[0]: unknown name "sise"; the names are size and low`,
		"{\n\"Name\": \"x\"}":                      `line 2: unknown name "Name"; the names are title, part, other, yes, words and parts`,
		"{\n\"part\" {}}":                          "line 2: part: not JSON: invalid character '{' after object key",
		`{"title": "` + strings.Repeat("x", largest) + `"}`: "more than 1048576 bytes",
	} {
		_, err := read(text)
		require.EqualError(t, err, want, "%.50s", text)
	}
}

// Whatever it is, it is read, or an error of one line.
func FuzzRead(f *testing.F) {
	f.Add(`{"title": "x", "part": {"size": "32k"}, "other": {"low": 7}, "yes": true, "words": ["a"], "parts": [{}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := read(text); err != nil {
			require.NotContains(t, err.Error(), "\n")
		}
	})
}
