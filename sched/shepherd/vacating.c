/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/shepherd/vacating.h"

#include <signal.h>
#include <sys/wait.h>

#include "sched/process/clock.h"
#include "sched/shepherd/leftovers.h"

#define AGAIN_NS 100000000ull		/* delay of a retry if there was no memory or descriptor */
#define KILL_AGAIN_NS 1000000000ull

/*
 * Read the request. A request that cannot be read is ignored: the scheduler ends the task itself in
 * the end.
 */
void vacating_look(struct vacating *vacating)
{
	struct attempt_vacation asked;
	struct error error;

	if (attempt_vacation_read(vacating->dirfd, &asked, &error))
		return;
	vacating->asked = asked;
	vacating->is_asked = true;
}

/* Return whether the leader has ended by itself and was not waited for yet. */
static bool leader_has_ended(pid_t leader)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, (id_t)leader, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == leader;
}

static uint64_t kill_due_ns(const struct vacating *vacating)
{
	if (vacating->done == ATTEMPT_VACATED_HARD)
		return vacating->killed_ns + KILL_AGAIN_NS;
	return vacating->asked.signal == SIGKILL ? vacating->signalled_ns
						 : vacating->signalled_ns + vacating->asked.vacate_ns;
}

static uint64_t task_signal(struct vacating *vacating, uint64_t now_ns)
{
	if (leader_has_ended(vacating->leader))
		return VACATION_NEVER_NS;
	if (vacating->asked.signal != SIGKILL && leftovers_signal(vacating->asked.signal, vacating->cgroup))
		return now_ns + AGAIN_NS;
	vacating->done = ATTEMPT_VACATED_SOFT;
	vacating->signalled_ns = now_ns;
	return kill_due_ns(vacating);
}

/*
 * Kill the task. Repeated every second, because the task may have made a process while it was
 * killed.
 */
static uint64_t task_kill(struct vacating *vacating, uint64_t now_ns)
{
	if (vacating->done != ATTEMPT_VACATED_HARD && leader_has_ended(vacating->leader))
		return VACATION_NEVER_NS;
	if (leftovers_signal(SIGKILL, vacating->cgroup))
		return now_ns + AGAIN_NS;
	vacating->done = ATTEMPT_VACATED_HARD;
	vacating->killed_ns = now_ns;
	return kill_due_ns(vacating);
}

uint64_t vacating_go_on(struct vacating *vacating)
{
	uint64_t now_ns = clock_monotonic_ns(), next_ns = VACATION_NEVER_NS;

	if (!vacating->is_asked || !vacating->leader)
		return next_ns;
	if (vacating->done == ATTEMPT_NOT_VACATED)
		next_ns = now_ns < vacating->asked.retired_ns ? vacating->asked.retired_ns
							      : task_signal(vacating, now_ns);
	if (vacating->done != ATTEMPT_NOT_VACATED)
		next_ns = now_ns < kill_due_ns(vacating) ? kill_due_ns(vacating) : task_kill(vacating, now_ns);
	return next_ns;
}
