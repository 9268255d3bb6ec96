// Package web shows a report in a browser: it serves the page (its files are in assets, built from ui) and answers the questions that
// the page asks, as JSON. The same answers, embedded in the page, make a report that needs no server (WriteHTML).
//
// # Questions
//
// All addresses begin with a token, and the page is at /TOKEN/. Questions name metrics, call paths, regions and parts of the system by
// their place in the lists of the answer to meta; lists of values are in the same order. Values are numbers with all their digits, or
// null if there is none, or if nothing of it is certain. If some values are uncertain, "in" has the interval of each value:
// [least, most], or null for those that are certain. An error is {"error": "why"}.
//
//	api/meta                                   the trees, totals, attributes, available views
//	api/calls?metric=M&self=0|1[&at=R]         values by call path, inclusive and exclusive; of part R of the system; with their noise
//	api/flat?metric=M&self=0|1[&at=R]          values by region
//	api/system?metric=M&self=0|1&path=P&incl=0|1 or &region=…   values by part of the system, how they are distributed over locations
//	api/stats?metric=M                         how long single waits were, and the longest of them; null if unknown
//	api/findings                               findings in words; for a difference, what changed
//	api/causers?metric=M&path=P                the causers
//	api/source?path=P or ?region=…             lines of source
//	api/timeline?begin=ns&end=ns&locations=R,R,…[&width=pixels]  what happened between two times
//
// With self=1 a metric is without its visible children, as an expanded node of the tree shows it.
//
// # Who is answered
//
// The server is for the person who started it. It listens on the loopback interface only. It answers requests that know the token in
// its address, that call it by this address (so that no name of another site can point at it), and that were not made by a page of
// another origin. It answers only GET and HEAD, and cuts off requests that are large or slow. The page may load only its own
// files, and runs no inline script. Other files that can be read are sources that the report names, in directories that the
// user names, wherever links lead; and for a trace directory, Go source where the program was built. A report from a file, which may come from
// anybody, opens no directory by itself: the timeline reads the trace directory that was analyzed, or the one that the user names. Nothing is ever
// requested from another machine.
package web
