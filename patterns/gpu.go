package patterns

import (
	"tracerec/analyzer"
	"tracerec/metric"
)

// Devices lists the metrics of programs that let GPUs or other devices compute: by CUDA, HIP, OpenCL or OpenACC.
var Devices = []*analyzer.Pattern{
	group("gpu", "gpu_time", metric.Time, "GPU calls", "calls of CUDA, HIP, OpenCL and OpenACC"),
	group("gpu", "gpu_setup", "gpu_time", "GPU management", "calls that manage devices, their memory and what runs on them"),
	group("gpu", "gpu_comm", "gpu_time", "Copy calls", "calls that copy to, from and on devices"),
	group("gpu", "gpu_sync", "gpu_time", "GPU synchronization", "calls that end when a device has done something"),
	group("gpu", "gpu_kernel_launches", "gpu_time", "Kernel launches", "calls that give kernels to streams"),
	waiting("gpu", analyzer.HasExecuted, metric.Metric{Name: "gpu_host_wait", Parent: "gpu_time", Title: "Wait for the device", Causing: "which executed",
		Description: "A thread waited until a stream had executed what it was given. In a call that copies, this is the wait until the copy can begin.",
		Formula: "min(end of what ended last on the stream in the call, own end) − begin of the call; where the call names no stream, of all streams of the process. In calls that copy: of the " +
			"last kernel that ended in it before a copy ended there",
		Advice: "Let the thread do something else before it waits: launch, then compute, then synchronize. Or copy asynchronously, in parts on several streams, so that copies and kernels " +
			"overlap. If there is nothing else to do, the kernel itself has to become faster."}),
	group("gpu", "gpu_executions", metric.Time, "GPU executions", "what streams of devices execute"),
	group("gpu", "gpu_kernel_executions", "gpu_executions", "Kernels", "kernels, on streams"),
	group("gpu", "gpu_copy_executions", "gpu_executions", "Copies", "copies, on streams"),
	group("gpu", "gpu_idle", metric.Time, "Idle GPU streams", "streams that executed nothing"),
	waiting("gpu", analyzer.Launched, metric.Metric{Name: metric.LateLaunch, Parent: "gpu_idle", Title: "Late launch", Causing: "which then gave it work in",
		Description: "A stream of a device was idle because a thread had not launched the kernel yet, or asked for the copy, that it executed next.",
		Formula:     "min(begin of the call that launches or copies, begin of the kernel or copy) − end of what the stream executed before, when positive",
		Advice: "Launch earlier: give the stream several kernels at once, and wait for the last one only. What the causer does meanwhile, in its call path, is what the device waits for; " +
			"give some of it to the device, or do it while a kernel runs. Many small kernels are better one, or a graph."}),
	{Paradigm: "gpu", Metric: metric.Metric{Name: metric.Queued, Title: "Queued kernels and copies",
		Description: "Time for which kernels and copies had been given to a stream, and waited until it had executed what it was given before.",
		Formula:     "end of what the stream executed before − begin of the call that launches or copies, when positive; summed, so that several may wait at one time",
		Advice: "This is how it should be if the device is busy meanwhile: the stream has always something to do. But if kernels do not depend on each other and one of them does not fill the " +
			"device, give them to several streams."}},
}
