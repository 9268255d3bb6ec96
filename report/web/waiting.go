package web

import (
	"fmt"
	"html"
	"net/http"
	"path"
	"strings"
	"time"
)

// How long requests wait for the report: the page's less, as it then says how far that is.
var patience = struct{ page, others time.Duration }{time.Second / 2, 50 * time.Second}

// waiting is the page until the report is there. It asks again by itself, without a script.
const waiting = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="1">
<meta name="color-scheme" content="light dark">
<title>expert: %[1]s</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="app.css">
</head>
<body>
<p role="status">%[1]s</p>
<p>The report appears here when the analysis is done.</p>
</body>
</html>
`

// Write takes what is shown to people at a terminal of how far the report is, a line that is written over again and again. It implements io.Writer.
func (s *Server) Write(line []byte) (int, error) {
	text := strings.TrimPrefix(string(line), "\r\x1b[K") // what clears the line
	s.mu.Lock()
	defer s.mu.Unlock()
	s.doing = text
	return len(line), nil
}

// wait waits until there is a report, and returns false if it has answered that there is none yet.
func (s *Server) wait(w http.ResponseWriter, r *http.Request) bool {
	page := r.URL.Path == "" || r.URL.Path == "index.html"
	if !page && path.Dir(r.URL.Path) == "." { // its style is the same with and without a report
		return true
	}
	limit := patience.others
	if page {
		limit = patience.page
	}
	over := time.NewTimer(limit)
	defer over.Stop()
	select {
	case <-s.ready:
		return true
	case <-r.Context().Done():
		return false
	case <-over.C:
	}
	s.mu.Lock()
	doing := s.doing
	s.mu.Unlock()
	if doing == "" {
		doing = "preparing the report"
	}
	if !page {
		refusal(w, http.StatusServiceUnavailable, "the report is not there yet: "+doing)
		return false
	}
	s.send(w, r, contentTypes[".html"], &response{body: fmt.Appendf(nil, waiting, html.EscapeString(strings.ToUpper(doing[:1])+doing[1:]))})
	return false
}
