package analyzer

// causeKind is what the lines of a finding about several objects have in common: their class, and of others than locks the metric.
type causeKind struct {
	metric uint16
	class  uint32
}

// hottest says how many objects of a class were waited for, and how long the one that was longest.
type hottest struct {
	objects int
	most    int64
}

func (h hottest) with(x hottest) hottest { return hottest{h.objects + x.objects, max(h.most, x.most)} }

// kindOf returns what the finding with a wait of a metric has in common.
func (m *matching) kindOf(metric uint16, class uint32) causeKind {
	if m.classes.list[class].isLock() && metric != m.s.metrics.externalWait {
		metric = 0
	}
	return causeKind{metric, class}
}

// waitedFor adds a wait to how long the object in progress was waited for.
func (w *matchWorker) waitedFor(metric uint16, d int64) {
	if w.here[metric] == 0 {
		w.metrics = append(w.metrics, metric)
	}
	w.here[metric] += d
}

// compareObjects takes note of how long the object in progress was waited for, if it is one of several of a class.
func (w *matchWorker) compareObjects() {
	several, locked := w.m.classes.list[w.class].count > 1, int64(0)
	for _, metric := range w.metrics {
		d := w.here[metric]
		w.here[metric] = 0
		switch k := w.m.kindOf(metric, w.class); {
		case !several:
		case k.metric == 0: // as others are
			locked += d
		default:
			w.shared[k] = w.shared[k].with(hottest{1, d})
		}
	}
	if locked > 0 {
		k := causeKind{class: w.class}
		w.shared[k] = w.shared[k].with(hottest{1, locked})
	}
	w.metrics = w.metrics[:0]
}
