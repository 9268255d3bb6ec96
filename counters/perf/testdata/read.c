/* Reads a group of perf events with read(2) and prints ns per reading, the least of many rounds:
 *   read [-t] ROUNDS READINGS TYPE:CONFIG...
 * With -t it has a second, idle thread, for which the kernel counts references to descriptors, as in every Go program.
 * It waits for a line on its input before each batch and answers with a line, so that another program can alternate
 * with it. */
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void *idle(void *unused) {
	for (;;)
		pause();
	return unused;
}

int main(int argc, char **argv) {
	pthread_t thread;
	if (argc > 1 && !strcmp(argv[1], "-t")) {
		if (pthread_create(&thread, NULL, idle, NULL))
			return 1;
		argv++, argc--;
	}
	int leader = -1, events = argc - 3;
	unsigned long long values[1 + 64];
	char line[16];
	if (events < 1 || events > 64)
		return 2;
	int rounds = atoi(argv[1]), readings = atoi(argv[2]);
	for (int i = 0; i < events; i++) {
		struct perf_event_attr a;
		memset(&a, 0, sizeof a);
		a.size = sizeof a;
		if (sscanf(argv[3 + i], "%u:%llu", &a.type, &a.config) != 2)
			return 2;
		a.read_format = PERF_FORMAT_GROUP;
		a.disabled = leader < 0;
		int fd = syscall(SYS_perf_event_open, &a, 0, -1, leader, 0);
		if (fd < 0) { /* without permission for the kernel */
			a.exclude_kernel = 1;
			fd = syscall(SYS_perf_event_open, &a, 0, -1, leader, 0);
		}
		if (fd < 0) {
			perror("perf_event_open");
			return 1;
		}
		if (leader < 0)
			leader = fd;
	}
	ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	setbuf(stdout, NULL);
	while (fgets(line, sizeof line, stdin)) {
		double best = 1e18;
		for (int r = 0; r < rounds; r++) {
			double start = now();
			for (int i = 0; i < readings; i++)
				if (read(leader, values, sizeof values) <= 0)
					return 1;
			double one = (now() - start) / readings;
			if (one < best)
				best = one;
		}
		printf("%.2f\n", best);
	}
	return 0;
}
