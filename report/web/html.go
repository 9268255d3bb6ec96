package web

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"strconv"
	"strings"

	"tracerec/report/cube"
	"tracerec/report/query"
)

// Limits of a report in one file. Beyond them a view is left out, and the page says so.
const (
	mostAnswers  = 600_000     // questions answered for one view
	mostNumbers  = 5_000_000   // numbers in the answers of one view that are not zero and not the same as in another answer
	mostValues   = 200_000_000 // values computed for one view, also those that are zero
	aroundInFile = 15          // lines of source before and behind the one in question
)

// WriteHTML writes the page with its answers: one file that needs no server and asks nobody anything. The timeline needs the trace and
// is not in it, some lines of source around each region and call are. Other views are left out if they would make the file too large, which the page says at its top.
func WriteHTML(w io.Writer, r *Report) error {
	own := *r
	own.Timeline = nil
	a, err := newAPI(&own)
	if err != nil {
		return err
	}
	defer a.close()
	a.around = aroundInFile
	page, err := newPage()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	io.WriteString(out, page.before)
	text := base64.NewEncoder(base64.StdEncoding, out)
	packed := zlib.NewWriter(text)
	t := &table{api: a, out: packed, same: map[[32]byte]string{}}
	t.all()
	for _, err := range []error{t.err, packed.Close(), text.Close()} {
		if err != nil {
			return err
		}
	}
	io.WriteString(out, page.behind)
	return out.Flush()
}

// page is the page in one file, cut where its answers go.
type page struct{ before, behind string }

// newPage puts script, style and icon into the page. The policy allows just these, by their hashes.
func newPage() (*page, error) {
	var files [4]string
	for i, name := range []string{"index.html", "app.js", "app.css", "icon.svg"} {
		content, err := fs.ReadFile(assets, name)
		if err != nil {
			return nil, err
		}
		files[i] = string(content)
	}
	html, script, style, icon := files[0], strings.ReplaceAll(files[1], "</script", `<\/script`), files[2], files[3]
	if strings.Contains(script, "<!--") { // with it, a browser might not see where the script ends
		return nil, errors.New("app.js contains <!--")
	}
	policy := fmt.Sprintf("default-src 'none'; script-src %s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'",
		hash(script), hash(style))
	for _, part := range []struct{ old, new string }{
		{`<meta charset="utf-8">`, `<meta charset="utf-8">` + "\n" + `<meta http-equiv="Content-Security-Policy" content="` + policy + `">`},
		{`<link rel="icon" href="icon.svg">`, `<link rel="icon" href="data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString([]byte(icon)) + `">`},
		{`<link rel="stylesheet" href="app.css">`, "<style>" + style + "</style>"},
		{`<script src="app.js" defer></script>`, ""},
	} {
		if strings.Count(html, part.old) != 1 {
			return nil, fmt.Errorf("index.html does not have %s", part.old)
		}
		html = strings.Replace(html, part.old, part.new, 1)
	}
	before, behind, _ := strings.Cut(html, "</body>")
	return &page{before + `<script id="answers" type="text/plain">`, "</script>\n<script>" + script + "</script>\n</body>" + behind}, nil
}

func hash(inline string) string {
	sum := sha256.Sum256([]byte(inline))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// table writes answers as one JSON object, by request. An answer that was there before is written as the request that it answers.
type table struct {
	api  *api
	out  io.Writer
	n    int
	same map[[32]byte]string
	err  error
}

// all writes the answers to all questions that the page may ask, as far as the file can hold them.
func (t *table) all() {
	a := t.api
	metrics, paths, regions, resources := len(a.model.Metrics), len(a.paths), len(a.model.Cube.Regions), len(a.model.Resources)
	t.write([]byte{'{'})
	t.answer("findings", "")
	for m := range metrics {
		t.answer("stats", fmt.Sprintf("metric=%d", m))
		for self := range 2 {
			q := fmt.Sprintf("metric=%d&self=%d", m, self)
			t.answer("calls", q)
			t.answer("flat", q)
		}
	}
	cells := a.cells()
	t.view("the system panel is empty", 4*metrics*(paths+regions), cells*resources, resources, func() {
		for m := range metrics {
			t.system(m, "path", paths)
			t.system(m, "region", regions)
		}
	})
	t.view("nothing can be selected in the system panel", 4*metrics*resources, cells*resources, paths+regions, func() {
		for m := range metrics {
			for at := range resources {
				for self := range 2 {
					q := fmt.Sprintf("metric=%d&self=%d&at=%d", m, self, at)
					t.answer("calls", q)
					t.answer("flat", q)
				}
			}
		}
	})
	t.view("the causers of single call paths are left out", metrics*paths, metrics*paths, 1, func() {
		for m := range metrics {
			for p := range paths {
				t.answer("causers", fmt.Sprintf("metric=%d&path=%d", m, p))
			}
		}
	})
	t.view("source is left out", paths+regions, (paths+regions)*4*aroundInFile, 1, func() {
		for p := range paths {
			t.answer("source", fmt.Sprintf("path=%d", p))
		}
		for r := range regions {
			t.answer("source", fmt.Sprintf("region=%d", r))
		}
	})
	t.answer("meta", "") // last, as it says what is left out
	t.write([]byte{'}'})
}

// cells counts the different values other than zero of all metrics at all call paths and regions.
func (a *api) cells() (n int) {
	for _, m := range a.model.Metrics {
		w := query.What{Metric: m}
		kinds := 1 // with and without its children
		if len(m.Children) > 0 {
			kinds = 2
		}
		for _, ask := range []func(query.What, *query.Resource) ([]cube.Value, []cube.Value, error){a.model.ByPath, a.model.ByRegion} {
			inclusive, exclusive, _ := ask(w, nil)
			for i, v := range inclusive {
				if !v.Zero() {
					n += kinds
				}
				if x := exclusive[i]; x != v && !x.Zero() {
					n += kinds
				}
			}
		}
	}
	return n
}

// system writes where in the system a metric is, for the n call paths or regions.
func (t *table) system(metric int, what string, n int) {
	for i := range n {
		for self := range 2 {
			for inclusive := range 2 {
				t.answer("system", fmt.Sprintf("metric=%d&self=%d&%s=%d&incl=%d", metric, self, what, i, inclusive))
			}
		}
	}
}

// view writes the answers that a view needs, of so many values each, unless there are too many.
func (t *table) view(without string, answers, numbers, values int, write func()) {
	if answers > mostAnswers || numbers > mostNumbers || answers*values > mostValues {
		t.api.Problems = append(t.api.Problems[:len(t.api.Problems):len(t.api.Problems)], "To keep this file small, "+without+".")
		return
	}
	write()
}

func (t *table) write(b []byte) {
	if t.err == nil {
		_, t.err = t.out.Write(b)
	}
}

// answer writes the answer to a question, in the spelling of the page.
func (t *table) answer(name, query string) {
	if t.err != nil {
		return
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		t.err = err
		return
	}
	body, err := t.api.answer(name, values)
	if err != nil {
		body = jsonError(err.Error())
	}
	request := "api/" + name
	if query != "" {
		request += "?" + query
	}
	var b bytes.Buffer
	if t.n > 0 {
		b.WriteString(",\n")
	}
	t.n++
	b.WriteString(strconv.Quote(request) + ":")
	sum := sha256.Sum256(body)
	if first, there := t.same[sum]; there && len(first)+2 < len(body) {
		b.WriteString(strconv.Quote(first))
	} else {
		t.same[sum] = request
		b.Write(body)
	}
	t.write(b.Bytes())
}
