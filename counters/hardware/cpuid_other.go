//go:build !amd64

package hardware

var hereID identification // nil: processors of other architectures do not tell user programs
