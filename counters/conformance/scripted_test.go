package conformance

import "testing"

func TestScripted(t *testing.T) { Run(t, Scripted()) }

func TestScriptedSlots(t *testing.T) { Run(t, ScriptedSlots()) }
