package main

import (
	"io"
	"net/http"

	"tracerec/instrument"
)

// handler serves the store: PUT and GET of /NAME.
func (s *store) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /{key}", func(w http.ResponseWriter, r *http.Request) {
		defer instrument.Region("serve").End()
		value, err := io.ReadAll(r.Body)
		if err == nil {
			err = s.put(r.PathValue("key"), value)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("GET /{key}", func(w http.ResponseWriter, r *http.Request) {
		defer instrument.Region("serve").End()
		value, ok, err := s.get(r.PathValue("key"))
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		case !ok:
			http.NotFound(w, r)
		default:
			w.Write(value)
		}
	})
	return mux
}
