package patterns

// busyAdvice is what to do where everybody who could have ended a wait was busy; cure is what does not help then.
func busyAdvice(cure string) string {
	return "All who take the work were busy, so " + cure + " gains nothing. Use more of them if processors are free, or make each piece of work " +
		"shorter: what they did meanwhile says where its time goes."
}
