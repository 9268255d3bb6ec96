// Package otf2 reads archives in the Open Trace Format 2, which Score-P and others write.
//
// An archive is an anchor file, NAME.otf2, which names nothing but sizes; NAME.def with the definitions that all
// locations share; and in the directory NAME two files for each location: N.evt with its events, and N.def with what is local to it:
// how its numbers translate into shared ones, and how its clock was off. Files consist of chunks, each of which can be read alone, and
// chunks of records. The table in spec.go says which records there are and what they carry; everything else follows it.
//
// [Open] reads everything but events. Events are read a chunk at a time, by as many goroutines as one likes:
//
//	a, err := otf2.Open("traces.otf2")
//	…
//	for _, l := range a.Locations {
//		r, err := a.Events(l)
//		…
//		for r.Next() {
//			use(&r.Event)
//		}
//		… r.Problems()
//	}
//
// A file may hold any bytes. What is damaged is a [Problem] with file and offset, and is left out together with the rest of its chunk. No
// more is allocated than a few times the size of a chunk, for definitions a few times the size of their file.
package otf2
