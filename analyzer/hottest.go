package analyzer

// hottest says how many objects of a class were waited for, and how long the one that was longest.
type hottest struct {
	objects int
	most    int64
}

func (h hottest) with(x hottest) hottest { return hottest{h.objects + x.objects, max(h.most, x.most)} }

// waitedFor adds a wait to how long the object in progress was waited for.
func (w *matchWorker) waitedFor(metric uint16, d int64) {
	if w.here[metric] == 0 {
		w.metrics = append(w.metrics, metric)
	}
	w.here[metric] += d
}

// compareObjects takes note of how long the object in progress was waited for, by cause, if it is one of several of a class.
func (w *matchWorker) compareObjects() {
	several, locked := w.m.classes.list[w.class].count > 1, int64(0)
	for _, metric := range w.metrics {
		d := w.here[metric]
		w.here[metric] = 0
		if !several {
			continue
		}
		k := w.m.cause(lineKey{metric: metric, class: w.class})
		if k.metric != metric { // waits for a lock are one cause
			locked += d
			continue
		}
		w.shared[k] = w.shared[k].with(hottest{1, d})
	}
	if locked > 0 {
		k := lineKey{class: w.class}
		w.shared[k] = w.shared[k].with(hottest{1, locked})
	}
	w.metrics = w.metrics[:0]
}
