package web

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// embeddedIn returns the answers that a page in one file holds.
func embeddedIn(t *testing.T, html string) map[string]json.RawMessage {
	t.Helper()
	m := regexp.MustCompile(`(?s)<script id="answers" type="text/plain">(.*?)</script>`).FindStringSubmatch(html)
	require.NotNil(t, m)
	z, err := zlib.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(m[1])))
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	var table map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &table))
	return table
}

func TestHTML(t *testing.T) {
	r := small(t)
	var out bytes.Buffer
	require.NoError(t, WriteHTML(&out, r))
	html := out.String()
	table := embeddedIn(t, html)
	a, err := newAPI(r)
	require.NoError(t, err)
	a.around = aroundInFile
	kinds := map[string]int{}
	for request, answer := range table {
		for answer[0] == '"' { // the same as another one
			var same string
			require.NoError(t, json.Unmarshal(answer, &same))
			require.Contains(t, table, same)
			answer = table[same]
		}
		name, query, _ := strings.Cut(strings.TrimPrefix(request, "api/"), "?")
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		want, err := a.answer(name, values)
		if err != nil {
			want = jsonError(err.Error())
		}
		require.JSONEq(t, string(want), string(answer), request)
		kinds[name]++
	}
	require.Equal(t, map[string]int{"meta": 1, "findings": 1, "stats": 3, "calls": 3 * 2 * 6, "flat": 3 * 2 * 6, "system": 3 * 4 * (3 + 2), "causers": 3 * 3, "source": 3 + 2}, kinds)
	for _, request := range []string{"api/meta", "api/calls?metric=0&self=1", "api/calls?metric=2&self=0&at=4", "api/flat?metric=1&self=0",
		"api/system?metric=1&self=1&path=2&incl=1", "api/system?metric=1&self=1&region=1&incl=0", "api/causers?metric=0&path=1", "api/source?region=1"} {
		require.Contains(t, table, request)
	}
	again := new(bytes.Buffer)
	require.NoError(t, WriteHTML(again, r))
	require.True(t, bytes.Equal(out.Bytes(), again.Bytes()), "the same report gives the same file")
}

// The page in one file loads nothing, and runs just its own script.
func TestHTMLIsSealed(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WriteHTML(&out, small(t)))
	html := out.String()
	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy" content="([^"]*)">`).FindStringSubmatch(html)
	require.NotNil(t, policy)
	require.Contains(t, policy[1], "default-src 'none'")
	require.NotContains(t, policy[1], "unsafe")
	scripts := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindAllStringSubmatch(html, -1)
	require.Len(t, scripts, 1)
	styles := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(html, -1)
	require.Len(t, styles, 1)
	for _, inline := range []string{scripts[0][1], styles[0][1]} {
		sum := sha256.Sum256([]byte(inline))
		require.Contains(t, policy[1], "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
	}
	page := strings.Replace(strings.Replace(html, scripts[0][1], "", 1), styles[0][1], "", 1)
	require.NotRegexp(t, `\b(src|href)="(https?:)?//`, page)
	require.Equal(t, strings.Count(page, "href="), strings.Count(page, `href="data:`))
	require.Equal(t, 3, strings.Count(page, "<script")+strings.Count(page, "<style"))
}

// What would make the file too large is left out, and said.
func TestHTMLSize(t *testing.T) {
	r := small(t)
	a, err := newAPI(r)
	require.NoError(t, err)
	var out bytes.Buffer
	table := &table{api: a, out: &out, same: map[[32]byte]string{}}
	table.view("nothing is there", 1000, mostNumbers, 1, func() { table.answer("findings", "") })
	table.view("the rest is left out", 1000, mostNumbers+1, 1, func() { t.Error("too much") })
	table.view("the rest is left out too", mostAnswers+1, 1, 1, func() { t.Error("too much") })
	table.view("zeros are left out", 2, 1, mostValues, func() { t.Error("too much") })
	require.NotEmpty(t, out.String())
	require.Equal(t, []string{"To keep this file small, the rest is left out.", "To keep this file small, the rest is left out too.",
		"To keep this file small, zeros are left out."}, a.Problems)
}
