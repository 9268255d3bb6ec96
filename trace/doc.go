// Package trace is the archive of an experiment: what the recorder writes and an analysis reads.
//
// An archive is a directory of segment files. They hold frames: definitions, clock stamps, and chunks of
// events, each with its own checksum and compressed alone. docs/format.md describes them byte by byte.
// What is there up to any byte can be read, and what lies behind damage as well.
//
// # Writing
//
// A [Writer] takes the raw words of measured programs, see package wire, through one [ProcessWriter] for
// each process. It brings times to the archive's resolution and batches pieces of many locations to chunks.
// What [Writer.Flush] has written survives the death of the writer, and [Resume] goes on behind it.
// A writer is used by one goroutine at a time. Raw words may be anything at all; what cannot be read is
// left out and counted.
//
// # Reading
//
// [Open] reads everything but the events: headers, definitions, and what the chunks hold. Numbers that are local
// to a process become indices in [Definitions], ticks become ns since the start of the experiment.
// Chunks are decoded in any order and by as many goroutines as there are decoders:
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
// valid: what is not defined is given a definition that says so. Levels need not match when events
// were lost; [Archive.Check] tells.
//
// A file may hold any bytes. Readers allocate no more than the sizes in validated headers allow, a few MiB for
// a chunk, and return a [Problem] with file and offset where something is wrong.
package trace
