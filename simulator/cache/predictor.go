package cache

import (
	"fmt"
	"math/bits"
)

// Prediction describes branch prediction.
type Prediction struct {
	Counters int  `json:"counters"` // of two bits, for conditional branches; a power of two
	History  uint `json:"history"`  // bits of what became of the last branches that choose the counter (gshare); 0 is bimodal
	Targets  int  `json:"targets"`  // remembered of indirect jumps; a power of two
	Returns  int  `json:"returns"`  // depth of the stack of return addresses
}

// Check tells what is wrong with the description.
func (p Prediction) Check() error {
	power := func(n int) bool { return n > 0 && n <= 1<<24 && bits.OnesCount(uint(n)) == 1 }
	switch {
	case !power(p.Counters):
		return fmt.Errorf("counters: %d, must be a power of two up to 2^24", p.Counters)
	case p.History > 24:
		return fmt.Errorf("history: %d bits, must be at most 24", p.History)
	case !power(p.Targets):
		return fmt.Errorf("targets: %d, must be a power of two up to 2^24", p.Targets)
	case p.Returns < 1 || p.Returns > 1<<16:
		return fmt.Errorf("returns: %d, must be from 1 to 65536", p.Returns)
	}
	return nil
}

// Predictor predicts where a processor goes on. Targets of direct branches are never wrong.
type Predictor struct {
	counters []uint8
	history  uint64
	mask     uint64 // of the history
	targets  []target
	returns  []uint64
	top      int
}

type target struct{ pc, to uint64 }

// NewPredictor returns one that has seen nothing: it predicts branches weakly as not taken.
func NewPredictor(p Prediction) (*Predictor, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	q := &Predictor{counters: make([]uint8, p.Counters), mask: 1<<p.History - 1, targets: make([]target, p.Targets), returns: make([]uint64, p.Returns)}
	for i := range q.counters {
		q.counters[i] = 1
	}
	return q, nil
}

// Branch is a conditional branch at pc; it tells whether its way was predicted. It does not branch itself, as the host cannot
// predict what the guest does.
func (p *Predictor) Branch(pc uint64, taken bool) bool {
	counter := &p.counters[(pc>>1^p.history&p.mask)&uint64(len(p.counters)-1)]
	was := *counter
	var t uint8
	if taken {
		t = 1
	}
	*counter = stepped[was<<1&6|t]
	p.history = p.history<<1 | uint64(t)
	return was>>1 == t
}

// stepped is what becomes of a counter of two bits, by what it was and whether the branch was taken.
var stepped = [8]uint8{0, 1, 0, 2, 1, 3, 2, 3}

// Indirect is a jump at pc to an address in a register; it tells whether the address was predicted.
func (p *Predictor) Indirect(pc, to uint64) bool {
	t := &p.targets[pc>>1&uint64(len(p.targets)-1)]
	right := *t == target{pc, to}
	*t = target{pc, to}
	return right
}

// Call is a call from which the program will return to an address.
func (p *Predictor) Call(back uint64) {
	p.returns[p.top] = back
	if p.top++; p.top == len(p.returns) {
		p.top = 0
	}
}

// Return is a return to an address; it tells whether it was predicted.
func (p *Predictor) Return(to uint64) bool {
	if p.top--; p.top < 0 {
		p.top = len(p.returns) - 1
	}
	return p.returns[p.top] == to
}
