//go:build linux

package linux

import "syscall"

func sigaction(t *thread, a [6]uint64) (int64, errno) {
	n := int(a[0])
	if n < 1 || n >= signals || a[3] != 8 {
		return 0, syscall.EINVAL
	}
	act := &t.p.actions[n]
	if a[2] != 0 {
		if err := t.p.putWords(a[2], act.handler, act.flags, act.mask); err != 0 {
			return 0, err
		}
	}
	if a[1] == 0 {
		return 0, 0
	}
	if n == sigKILL || n == sigSTOP {
		return 0, syscall.EINVAL
	}
	w, err := t.p.words(a[1], 3)
	if err == 0 {
		*act = action{w[0], w[1], w[2]}
	}
	return 0, err
}

const unblockable = 1<<(sigKILL-1) | 1<<(sigSTOP-1)

func sigprocmask(t *thread, a [6]uint64) (int64, errno) {
	old := t.mask
	if a[3] != 8 {
		return 0, syscall.EINVAL
	}
	if a[1] != 0 {
		w, err := t.p.words(a[1], 1)
		if err != 0 {
			return 0, err
		}
		switch a[0] {
		case 0:
			t.mask |= w[0]
		case 1:
			t.mask &^= w[0]
		case 2:
			t.mask = w[0]
		default:
			return 0, syscall.EINVAL
		}
		t.mask &^= unblockable
	}
	if a[2] != 0 {
		return 0, t.p.putWords(a[2], old)
	}
	return 0, 0
}

// sigsuspend waits for a signal under another mask.
func sigsuspend(t *thread, a [6]uint64) (int64, errno) {
	w, err := t.p.words(a[0], 1)
	if err != 0 {
		return 0, err
	}
	t.withMask(w[0])
	for _, s := range t.pending {
		if t.mask>>(s.number-1)&1 == 0 {
			return 0, syscall.EINTR
		}
	}
	t.block(-1, nil, 0)
	return 0, 0
}

// withMask changes the mask until the next signal was taken, or the thread runs on.
func (t *thread) withMask(mask uint64) {
	t.saved, t.restore, t.mask = t.mask, true, mask&^unblockable
}

func sigaltstack(t *thread, a [6]uint64) (int64, errno) {
	old := t.stack
	if a[0] != 0 {
		w, err := t.p.words(a[0], 3)
		if err != 0 {
			return 0, err
		}
		t.stack = signalStack{w[0], w[2], w[1]&2 != 0}
	}
	if a[1] != 0 {
		flags := uint64(0)
		if old.disabled || old.size == 0 {
			flags = 2
		}
		return 0, t.p.putWords(a[1], old.at, flags, old.size)
	}
	return 0, 0
}

func kill(t *thread, a [6]uint64) (int64, errno) {
	to, number := int(int32(a[0])), int(int32(a[1]))
	if number < 0 || number >= signals {
		return 0, syscall.EINVAL
	}
	found := false
	for _, p := range t.k.all {
		if p.selected(to, t.p.group) && (to != -1 || p != t.p && p != t.k.first) {
			found = true
			p.signal(signal{number: number, pid: t.p.id})
		}
	}
	if !found {
		return 0, syscall.ESRCH
	}
	return 0, 0
}

func tkill(t *thread, a [6]uint64) (int64, errno) {
	return t.signalThread(0, int(int32(a[0])), int(int32(a[1])))
}

func tgkill(t *thread, a [6]uint64) (int64, errno) {
	if int32(a[0]) == 0 {
		return 0, syscall.EINVAL
	}
	return t.signalThread(int(int32(a[0])), int(int32(a[1])), int(int32(a[2])))
}

// signalThread sends a signal to a thread, of a certain process or of any.
func (t *thread) signalThread(process, id, number int) (int64, errno) {
	if number < 0 || number >= signals || process < 0 || id <= 0 {
		return 0, syscall.EINVAL
	}
	for _, p := range t.k.all {
		for _, o := range p.threads {
			if o.id == id && (process == 0 || p.id == process) {
				if number > 0 {
					o.send(signal{number: number, code: -6, pid: t.p.id})
				}
				return 0, 0
			}
		}
	}
	return 0, syscall.ESRCH
}

// signal sends a signal to the first thread of the process that does not block it.
func (p *process) signal(s signal) {
	if s.number == 0 || len(p.threads) == 0 {
		return
	}
	to := p.threads[0]
	for _, o := range p.threads {
		if o.mask>>(s.number-1)&1 == 0 {
			to = o
			break
		}
	}
	to.send(s)
}
