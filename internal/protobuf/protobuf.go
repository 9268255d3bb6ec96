// Package protobuf appends fields of protocol buffer messages to byte slices. A message within a message is
// appended as Bytes.
package protobuf

import (
	"encoding/binary"
	"strings"
)

// Wire types.
const (
	varint  = 0
	fixed64 = 1
	length  = 2
)

func key(b []byte, field, wire int) []byte {
	return binary.AppendUvarint(b, uint64(field)<<3|uint64(wire))
}

// Uint appends a field of one of the types without sign, an enumeration or a truth value.
func Uint(b []byte, field int, v uint64) []byte {
	return binary.AppendUvarint(key(b, field, varint), v)
}

// Int appends an int32 or int64 field.
func Int(b []byte, field int, v int64) []byte { return Uint(b, field, uint64(v)) }

// Fixed64 appends a fixed64 field.
func Fixed64(b []byte, field int, v uint64) []byte {
	return binary.LittleEndian.AppendUint64(key(b, field, fixed64), v)
}

// Bytes appends a field of bytes or a message.
func Bytes(b []byte, field int, v []byte) []byte {
	return append(binary.AppendUvarint(key(b, field, length), uint64(len(v))), v...)
}

// String appends a string field; what is not UTF-8 in it is replaced, since readers refuse it.
func String(b []byte, field int, v string) []byte {
	v = strings.ToValidUTF8(v, "\ufffd")
	return append(binary.AppendUvarint(key(b, field, length), uint64(len(v))), v...)
}

// AppendVarint appends a number without its field, as an element of a packed list.
func AppendVarint(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }
