package report

// WindowRequest asks what happened on some locations during a part of an experiment. Times are ns since its start.
type WindowRequest struct {
	Begin, End int64
	Locations  []uint32 // indices in Experiment.Locations
	Width      int      // number of pixels that the window is drawn on; what is smaller than one is merged
}

// Window is what happened on some locations during a part of an experiment.
type Window struct {
	Begin, End int64
	Rows       []WindowRow // in the order of the request
	Names      []string    // of regions and operations
	Arrows     []Arrow     // ascending by time
	Truncated  string      // what is not shown, and why; "" if everything is
	Sampled    bool        // the spans are stretches, each of which shows where its location was at one moment of it
}

// WindowRow is what happened on one location.
type WindowRow struct {
	Location uint32
	Spans    []Span // ascending by (Begin, Depth)
	Ended    int64  // when the location ended, 0 if not before the end of the window
}

// Span is a stay in a region or operation, clipped to the window.
type Span struct {
	Begin, End int64
	Depth      int // 0 for the outermost region
	Name       int // index in Names
	Kind       SpanKind
	Merged     int // stays that are too short to be shown one by one and became this span, 0 if it is a single one
}

// SpanKind says what a span is.
type SpanKind int

// Kinds of spans.
const (
	InRegion    SpanKind = iota // in a region of the user
	InOperation                 // in a send, lock, wait …
	InBlocked                   // blocked within an operation, or in a state in which it does not run
)

// Arrow is an action on one location that had an effect on another.
type Arrow struct {
	From, To         uint32 // locations, indices in Experiment.Locations
	FromTime, ToTime int64
	Kind             string // "create", "message", …
}
