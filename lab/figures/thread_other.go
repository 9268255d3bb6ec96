//go:build !linux

package main

import "time"

func gettid() int { return 0 }

func threadTime() time.Duration { return 0 }
