package web

import (
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"
)

// policy allows the page its own files and nothing else: no inline script, no other site, no frame around it.
const policy = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// maxTarget is the longest request target answered, bytes. What the page asks for is far shorter.
const maxTarget = 8 << 10

// guard lets only those requests through that the page itself, or the person who has its address, can have made.
type guard struct {
	hosts []string // addresses by which the server may be called
	token string
	next  http.Handler // gets requests with the token taken off
}

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // the address holds the token
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch status, reason := g.refuse(r); {
	case status == http.StatusPermanentRedirect:
		h.Set("Location", "/"+g.token+"/")
		w.WriteHeader(status)
		return
	case status != 0:
		h.Set("Connection", "close") // whatever else it sends is of no interest
		refusal(w, status, reason)
		return
	}
	g.next.ServeHTTP(w, r)
}

// refuse returns why a request is not answered, or only with a redirection to the page, 0 if it is answered. On success the token is gone from its path.
func (g *guard) refuse(r *http.Request) (status int, reason string) {
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return http.StatusMethodNotAllowed, "only GET and HEAD are answered"
	case len(r.RequestURI) > maxTarget:
		return http.StatusRequestURITooLong, "the address is too long"
	case !slices.Contains(g.hosts, r.Host):
		// A name of another site that resolves to this machine must not make its scripts ours.
		return http.StatusForbidden, "use the address that the server printed; a tunnel needs the same port at both ends"
	case !g.own(r.Header.Get("Origin")):
		return http.StatusForbidden, "requests of other sites are not answered"
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none": // a program, the page, or an address typed in
	default:
		return http.StatusForbidden, "requests of other sites are not answered; open the address by hand"
	}
	token, rest, found := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(token), []byte(g.token)) != 1 {
		return http.StatusNotFound, "the address lacks its token"
	}
	if !found {
		return http.StatusPermanentRedirect, "the address ends in /"
	}
	r.URL.Path = rest
	return 0, ""
}

// own says whether an origin is the server's own, or not told.
func (g *guard) own(origin string) bool {
	return origin == "" || slices.Contains(g.hosts, strings.TrimPrefix(origin, "http://"))
}

// refusal answers with an error.
func refusal(w http.ResponseWriter, status int, reason string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(jsonError(reason))
}
