// Package web shows a report in a browser: it serves the page (package files under assets, built from ui) and answers the questions
// that the page asks, as JSON. The same answers, embedded in the page, make a report that needs no server.
//
// The server is for the person who started it. It listens on the loopback interface only, answers nobody who does not know the token in
// its address, refuses requests that another site makes the browser send, and reads no files but the page's own and the sources that the
// report names. Nothing is ever requested from another machine.
package web
