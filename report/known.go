package report

import (
	"slices"

	"tracerec/metric"
	"tracerec/trace/wire"
)

// What is said of waits is more, or less, where the place tells what goroutines do there, or an execution trace does not.

// waitsIn says whether a finding is of one kind of waiting, inside one of some functions, by their short names.
func (e *Experiment) waitsIn(f *Finding, name string, functions ...string) bool {
	path := e.pathOf(f.Path)
	return e.kind(f).Name == name && len(path) > 1 && slices.Contains(functions, path[len(path)-2])
}

// shared says whether a finding is of goroutines that wait for the result of a call that another one makes for all of them.
func (e *Experiment) shared(f *Finding) bool {
	return e.waitsIn(f, metric.JoinWait, "singleflight.(*Group).Do")
}

// asks says whether a finding is of clients of net/http that wait for what comes by a connection, which another goroutine reads.
func (e *Experiment) asks(f *Finding) bool {
	return e.waitsIn(f, metric.LateSender, "http.(*persistConn).roundTrip")
}

// bothSelect says whether a finding is of goroutines that waited in a select for others that came to one, too, and it is not known which of the two sends: an execution trace tells that of plain sends
// and receives, and of functions that are known to only receive where they select.
func (e *Experiment) bothSelect(f *Finding) bool {
	did := func(c *Causer, operation string) bool {
		return c.Path >= 0 && e.leaf(uint32(c.Path)).Operation && e.leaf(uint32(c.Path)).Name == operation
	}
	path := e.pathOf(f.Path)
	return f.Object.Type == "" && e.kind(f).Name == metric.LateSender && e.leaf(f.Path).Name == selectName && len(f.Causers) > 0 && did(&f.Causers[0], selectName) &&
		!(len(path) > 1 && wire.OnlyReceives(path[len(path)-2])) && !slices.ContainsFunc(f.Causers, func(c Causer) bool { return did(&c, sendName) })
}

// direction says, after another sentence, that it is not known who sends; "" if it is.
func (p *page) direction(f *Finding) string {
	if !p.e.bothSelect(f) {
		return ""
	}
	return " An execution trace does not tell which of the two sends."
}

// amongThemselves says whether those of a finding mostly wait at a channel for others of their name, and no more than that is known of it: they may count places with it.
func (e *Experiment) amongThemselves(f *Finding) bool {
	if name := e.kind(f).Name; f.Object.Type != "" || name != metric.LateSender && !sendsLate(name) {
		return false
	}
	own := int64(0)
	for _, c := range f.Causers {
		if c.Group >= 0 && e.Groups[c.Group].Name == e.Groups[f.Group].Name {
			own += c.Severity
		}
	}
	return 2*own > f.Severity
}

// knownAdvice returns the advice for a finding of which more, or less, is known than what its metric is about; "" for others.
func (e *Experiment) knownAdvice(f *Finding) string {
	switch {
	case e.starved(f):
		return notYetRunning
	case e.signalled(f):
		return afterSignal
	case e.shared(f):
		return sharedCall
	case e.amongThemselves(f):
		return perhapsPlaces
	case e.bothSelect(f):
		return eitherSends
	case e.waitsIn(f, metric.CondWait, "http.(*connReader).abortPendingRead"):
		return ownReader
	case e.getsConn(f) && e.connsBegun() > manyConns && !e.fewConns(f):
		return newConns
	}
	if _, ok := e.mainly(f); !ok && e.asks(f) { // else that tells more
		return roundTrips
	}
	return ""
}

// ownReader is the advice for a server of net/http that waits for its own reader of a connection.
const ownReader = "net/http waits here at the end of each request until the goroutine that reads from the connection has seen that it is to stop. That takes long only if this one gets no processor: look at what has these."

// manyConns is how many connections are more than a client needs to begin with.
const manyConns = 32

// newConns is the advice for clients of net/http that wait for connections which are made for them.
const newConns = "Most of these waits ended with a new connection. A client keeps two idle ones for each host (Transport.MaxIdleConnsPerHost), and only those whose responses were read to the end and closed: " +
	"raise that, close bodies, and use one client for all requests."

// roundTrips is the advice for clients that wait for answers.
const roundTrips = "Look at who is at the other end, and how many round trips there are: send requests together, or before their answers are needed."

// sharedCall is the advice for goroutines that wait for a call that one of them makes for all.
const sharedCall = "They asked for the same at once, and got it from one call, as they are meant to: what counts is how long that call takes, and how often it is made. Make it faster, or keep its result " +
	"for longer; or renew that before it is out of date, and give out the old one meanwhile."

// perhapsPlaces is the advice for goroutines that wait at a channel for others that do the same as they.
const perhapsPlaces = "Those who wait and those who let them go on do the same. If they count places with the channel, so that one operation takes a place and the other gives it back, look at what they do while they have " +
	"one, and give it back earlier; then let there be more places, if what is behind them can take that. If they pass values on to each other, look at what the other one did before it came."

// eitherSends is the advice for goroutines that wait in a select for others that come to one, where it is not known who sends.
const eitherSends = "Look at what the other one did before it came: let it come earlier, give it less to do each time, or have more goroutines do that. Who waits for its next task is idle by design; it matters only " +
	"as far as it is on the critical path."
