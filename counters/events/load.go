package events

// For returns the table of a processor, false if there is none.
func For(c CPU) (*Table, bool) { return nil, false }

// Presets returns all presets, by name.
func Presets() []PresetInfo { return nil }
