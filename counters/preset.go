package counters

import (
	"fmt"
	"strings"
)

func isPreset(name string) bool { return strings.HasPrefix(name, "PAPI_") }

func (s *EventSet) resolvePreset(name string) (entry, error) {
	return entry{}, fmt.Errorf("%w: %s", ErrNoPreset, name)
}
