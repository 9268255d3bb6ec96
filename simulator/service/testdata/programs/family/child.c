/* A C program that counts its square roots, and those of its child, by the call-through. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The function of this name is charged to nobody. */
__attribute__((noinline)) long simulator_call(long service, long a1, const void *p2, long a3, void *p4, long a5)
{
	register long r0 asm("a0") = service, r1 asm("a1") = a1, r3 asm("a3") = a3, r5 asm("a5") = a5, r7 asm("a7") = 0x7452;
	register const void *r2 asm("a2") = p2;
	register void *r4 asm("a4") = p4;
	asm volatile("ecall" : "+r"(r0) : "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5), "r"(r7) : "memory");
	return r0;
}

/* Returns the number of an event, -1 if there is none of that name. */
static long event(const char *name)
{
	char text[512];
	for (long i = 0;; i++) {
		if (simulator_call(1, i, text, sizeof text, 0, 0) < 0)
			return -1;
		if (strcmp(text, name) == 0)
			return i;
	}
}

static void roots(int n)
{
	double x = 2;
	while (n-- > 0)
		asm volatile("fsqrt.d %0, %0" : "+f"(x));
}

static unsigned long count(long set)
{
	unsigned long v = 0;
	simulator_call(7, set, &v, 1, 0, 0); /* read */
	return v;
}

int main(void)
{
	unsigned number = event("PAPI_FSQ_INS");
	long set = simulator_call(2, 0, 0, 0, 0, 0); /* initialize, for the process */
	simulator_call(3, set, &number, 1, 0, 0);    /* select */
	simulator_call(4, set, 0, 0, 0, 0);          /* start */
	roots(100);
	int child = fork();
	if (child == 0) {
		roots(11);
		printf("forked %lu\n", count(set));
		return 0;
	}
	roots(200);
	simulator_call(5, set, 0, 0, 0, 0); /* stop */
	roots(1000);
	waitpid(child, 0, 0);
	printf("C %lu\n", count(set));
	return 0;
}
