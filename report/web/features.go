package web

// difference says whether the report is the difference of two others, so that its values are changes.
func (a *api) difference() bool { return a.model.Difference() != "" }

// features says which views of the report have something to show.
func (a *api) features() metaFeatures {
	f := metaFeatures{Findings: true, Noise: a.spread != nil, Source: a.sources.any()}
	for _, m := range a.model.Metrics {
		if a.statsOf(m.Name) != nil {
			f.Stats = true
		}
	}
	f.Timeline = a.Timeline != nil || f.Stats
	return f
}
