// Calls, a long jump over some, a thread, and a child that goes on where its parent is.
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf there;
static volatile double result;

__attribute__((noinline)) void work(int n) {
	double sum = 0;
	for (int i = 1; i <= n; i++)
		sum += 1.0 / i;
	result = sum;
}

__attribute__((noinline)) void jumps(int n) {
	if (n == 0)
		longjmp(there, 1);
	jumps(n - 1);
	work(1);
}

__attribute__((noinline)) void steps(int n) {
	if (n == 0)
		longjmp(there, 1);
	steps(n - 1);
	work(1);
}

__attribute__((noinline)) int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

__attribute__((noinline)) void sorts(void) {
	int numbers[] = {5, 3, 8, 1, 9, 2, 7};
	qsort(numbers, 7, sizeof *numbers, compare);
}

__attribute__((noinline)) void *thread(void *unused) {
	work(3000);
	return NULL;
}

__attribute__((noinline)) void family(void) {
	pid_t child = fork();
	if (child == 0) {
		work(2000);
		exit(3);
	}
	int status;
	waitpid(child, &status, 0);
	printf("%d\n", WEXITSTATUS(status));
	fflush(stdout);
}

int main(void) {
	if (setjmp(there) == 0)
		jumps(4);
	work(1000);
	for (volatile int i = 0; i < 50; i++)
		if (setjmp(there) == 0)
			steps(i);
	sorts();
	pthread_t t;
	pthread_create(&t, NULL, thread, NULL);
	pthread_join(t, NULL);
	family();
	return 0;
}
