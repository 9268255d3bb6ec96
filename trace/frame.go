package trace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// Version is the version of the format that this package writes, and the newest that it reads.
const Version = 4

// Limits of one frame. They bound what a reader allocates before it has verified anything.
const (
	headerSize = 68
	maxRaw     = 4 << 20 // bytes of a payload, and of a directory, before compression
	maxEvents  = 1 << 16 // events of a chunk
	maxSymbols = 1 << 12 // distinct (kind, id) pairs of a chunk
)

var magic = []byte{0x9e, 'T', 'R', 'C'}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// frameType tells frames apart. The numbers are part of the format and never reused.
type frameType uint8

const (
	experimentFrame  frameType = 1 // first of every segment
	processFrame     frameType = 2
	definitionsFrame frameType = 3
	chunkFrame       frameType = 4
	clockFrame       frameType = 5
	warningsFrame    frameType = 6
	exitFrame        frameType = 7
	endFrame         frameType = 8
)

// frame is a frame's header. All integers are stored little-endian, in this order.
type frame struct {
	Version    uint16
	Type       frameType
	Experiment uint32 // same in all frames of an archive
	Number     uint32 // frames are numbered from 0 along the archive
	Process    uint32 // index of the process the frame belongs to
	DirStored  uint32 // bytes of the directory in the file; chunks only
	DirRaw     uint32 // and after decompression; equal if not compressed
	Stored     uint32 // bytes of the payload behind the directory in the file
	Raw        uint32 // and after decompression
	Entries    uint32 // runs of consecutive events of one location; chunks only
	Events     uint32
	PayloadCRC uint32 // of directory and payload as stored
	First      int64  // earliest and latest time in units of the process's clock; chunks only
	Last       int64
}

// size is the number of bytes that the frame takes in the file.
func (f *frame) size() int64 { return headerSize + int64(f.DirStored) + int64(f.Stored) }

// appendTo appends the 68 bytes of the header.
func (f *frame) appendTo(b []byte) []byte {
	start := len(b)
	le := binary.LittleEndian
	b = append(b, magic...)
	b = le.AppendUint16(b, f.Version)
	b = append(b, byte(f.Type), 0)
	for _, v := range [...]uint32{f.Experiment, f.Number, f.Process, f.DirStored, f.DirRaw, f.Stored, f.Raw,
		f.Entries, f.Events, f.PayloadCRC} {
		b = le.AppendUint32(b, v)
	}
	b = le.AppendUint64(b, uint64(f.First))
	b = le.AppendUint64(b, uint64(f.Last))
	return le.AppendUint32(b, crc32.Checksum(b[start:], castagnoli))
}

// parseFrame reads and validates a header out of at least headerSize bytes.
func parseFrame(b []byte) (f frame, err error) {
	le := binary.LittleEndian
	if !bytes.Equal(b[:4], magic) {
		return f, fmt.Errorf("not a frame")
	}
	if crc32.Checksum(b[:headerSize-4], castagnoli) != le.Uint32(b[headerSize-4:]) {
		return f, fmt.Errorf("the frame header is damaged")
	}
	f.Version, f.Type = le.Uint16(b[4:]), frameType(b[6])
	at := 8
	for _, v := range [...]*uint32{&f.Experiment, &f.Number, &f.Process, &f.DirStored, &f.DirRaw, &f.Stored, &f.Raw,
		&f.Entries, &f.Events, &f.PayloadCRC} {
		*v = le.Uint32(b[at:])
		at += 4
	}
	f.First, f.Last = int64(le.Uint64(b[at:])), int64(le.Uint64(b[at+8:]))
	return f, f.validate()
}

// validate rejects a header that no writer of this version makes.
func (f *frame) validate() error {
	switch {
	case f.Version > Version:
		return fmt.Errorf("format version %d is newer than %d, the newest that this program reads", f.Version, Version)
	case f.Version == 0 || f.Type < experimentFrame || f.Type > endFrame:
		return fmt.Errorf("unknown frame type %d of version %d", f.Type, f.Version)
	case f.DirRaw > maxRaw || f.Raw > maxRaw || f.DirStored > f.DirRaw || f.Stored > f.Raw:
		return fmt.Errorf("impossible sizes: directory %d of %d, payload %d of %d bytes", f.DirStored, f.DirRaw, f.Stored, f.Raw)
	case f.Type == chunkFrame && (f.Events == 0 || f.Events > maxEvents || f.Entries == 0 || f.Entries > f.Events ||
		uint64(f.Events)*2 > uint64(f.Raw)):
		return fmt.Errorf("impossible counts: %d runs, %d events in %d bytes", f.Entries, f.Events, f.Raw)
	case f.Type == chunkFrame && (f.First > f.Last || f.First < -maxUnits || f.Last > maxUnits):
		return fmt.Errorf("impossible times %d to %d", f.First, f.Last)
	case f.Type != chunkFrame && (f.DirRaw != 0 || f.Entries != 0 || f.Events != 0):
		return fmt.Errorf("a frame of type %d holds events", f.Type)
	}
	return nil
}

// segment is one file of an archive.
type segment struct {
	name string
	r    io.ReaderAt
	size int64
	end  int64 // of the last valid frame
}

// read fills b from offset off.
func (s *segment) read(b []byte, off int64) error {
	if n, err := s.r.ReadAt(b, off); n < len(b) {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	return nil
}

// resync returns the offset of the next valid frame header at or behind off, or the size of the segment.
func (s *segment) resync(off int64) int64 {
	const window = 64 << 10
	buf := make([]byte, window+headerSize)
	for off+headerSize <= s.size {
		b := buf[:min(int64(len(buf)), s.size-off)]
		if s.read(b, off) != nil {
			break
		}
		for at := 0; at+headerSize <= len(b); at++ {
			i := bytes.Index(b[at:len(b)-headerSize+len(magic)], magic)
			if i < 0 {
				break
			}
			at += i
			if _, err := parseFrame(b[at:]); err == nil {
				return off + int64(at)
			}
		}
		off += int64(len(b)) - headerSize + 1
	}
	return s.size
}
