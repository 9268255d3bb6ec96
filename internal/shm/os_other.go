//go:build !linux

package shm

import (
	"errors"
	"unsafe"
)

var errSystem = errors.New("recording needs Linux")

func createFile(string, int64) ([]byte, bool, error) { return nil, false, errSystem }
func openFile(string) (int, int64, error)            { return -1, 0, errSystem }
func closeFile(int)                                  {}
func mapFile(int, int) ([]byte, error)               { return nil, errSystem }
func unmapFile([]byte)                               {}
func allocate(uintptr, uintptr) refusal              { return 1 }
func freeSpace(string) (int64, error)                { return 0, errSystem }
func fileLimit() int64                               { return 0 }
func addressSpace() int64                            { return 0 }
func locked(int) bool                                { return false }
func awaitUnlocked(string) bool                      { return false }
func bootTicks(string) (uint64, bool)                { return 0, false }
func runs(int, uint64) bool                          { return false }
func executes(int, uint64) bool                      { return false }

// CPUTime is not known here.
func CPUTime() uint64 { return 0 }

func fileSize(int) int64     { return -1 }
func extend(int, int64)      {}
func names(string, int) bool { return false }

// refusal is an error of a system whose numbers are not known.
type refusal int

func (refusal) Error() string { return errSystem.Error() }

// Memory returns zeroed memory for the life of the process.
func Memory(size int) unsafe.Pointer { return unsafe.Pointer(&make([]uint64, size/8)[0]) }
