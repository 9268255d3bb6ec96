//go:build !linux

// Package relay catches the signals that are sent to a command, for the program that it starts.
package relay
