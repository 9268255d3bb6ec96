// Package trace is the archive of an experiment: what the recorder writes and an analysis reads.
//
// An archive is a directory of segment files. They hold frames: definitions, clock stamps, and chunks of
// events, each compressed and checked by itself. docs/format.md describes them byte by byte.
// Any prefix of an archive can be read, and so can whatever follows damage.
//
// # Writing
//
// A [Writer] takes the raw words of measured programs, see package wire, through one [ProcessWriter] for
// each process. It reduces times to the archive's resolution, and batches pieces of many locations into chunks.
// What [Writer.Flush] has written survives the death of the writer, and [Resume] continues after it.
// Only one goroutine may use a writer at a time. Raw words may be anything; a writer leaves out what it cannot
// read, and counts it.
//
// # Reading
//
// [Open] reads everything except events: headers, definitions, and what the chunks contain. Numbers that are local
// to a process become indices in [Definitions], ticks become ns since the start of the experiment.
// Chunks may be decoded in any order, by as many goroutines as there are decoders:
//
//	a, err := trace.Open("trace.dir")
//	…
//	d, buf := a.NewDecoder(), new(trace.Buffer)
//	for _, c := range a.Chunks() {
//		batches, err := d.Decode(c, buf)
//		…
//	}
//
// The batches of a location are in the order of its stream along [Archive.Chunks], and their times ascend;
// [Archive.Merge] delivers the events of all locations in order. References within events are always
// valid: what is not defined gets a definition that says so. Levels may not match if events
// were lost; [Archive.Check] finds out.
//
// A file may hold any bytes. Readers allocate no more than the sizes in validated headers allow, a few MiB for
// a chunk. If something is wrong, they return a [Problem] with file and offset.
package trace
