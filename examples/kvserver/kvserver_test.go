package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryVariantAnswersRight(t *testing.T) {
	for _, hot := range []bool{false, true} {
		for _, rw := range []bool{false, true} {
			t.Run(fmt.Sprintf("hot %v rw %v", hot, rw), func(t *testing.T) {
				var out bytes.Buffer
				require.NoError(t, run([]string{"-clients", "4", "-requests", "20", "-size", "500",
					fmt.Sprintf("-hot-lock=%v", hot), fmt.Sprintf("-rw=%v", rw)}, &out))
				require.Contains(t, out.String(), "by 4 clients")
			})
		}
	}
}

func TestHandler(t *testing.T) {
	server := httptest.NewServer(newStore(false, false).handler())
	defer server.Close()
	l := &load{}
	value := []byte("some value")
	require.NoError(t, l.put(server.Client(), server.URL+"/a", value))
	require.NoError(t, l.get(server.Client(), server.URL+"/a", value))
	require.ErrorContains(t, l.get(server.Client(), server.URL+"/b", nil), "404")
	resp, err := server.Client().Post(server.URL+"/a", "", nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusMethodNotAllowed, resp.StatusCode)
}

func TestWrongValueIsFound(t *testing.T) {
	s := newStore(false, true)
	server := httptest.NewServer(s.handler())
	defer server.Close()
	require.NoError(t, s.put("a", []byte("old")))
	require.ErrorContains(t, new(load).get(server.Client(), server.URL+"/a", []byte("new")), "not the value")
}

func TestDamagedValueIsAnError(t *testing.T) {
	s := newStore(true, false)
	require.NoError(t, s.put("a", []byte(strings.Repeat("text ", 100))))
	s.data["a"] = s.data["a"][:3]
	_, _, err := s.get("a")
	require.Error(t, err)
}
