/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Capabilities by two system calls and a loop, without a dependency on libcap.
 */
#include "sched/host/capabilities.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/host/host.h"

#define BIT(capability) (1ull << (capability))

struct sets {
	uint64_t effective, permitted;
};

static int sets_get(struct sets *sets)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct half[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (syscall(SYS_capget, &head, half))
		return -errno;
	sets->effective = half[0].effective | (uint64_t)half[1].effective << 32;
	sets->permitted = half[0].permitted | (uint64_t)half[1].permitted << 32;
	return 0;
}

/* Set the effective and the permitted capabilities, and clear the inheritable ones. */
static int sets_put(uint64_t kept)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct half[_LINUX_CAPABILITY_U32S_3] = {
		{ .effective = (uint32_t)kept, .permitted = (uint32_t)kept },
		{ .effective = (uint32_t)(kept >> 32), .permitted = (uint32_t)(kept >> 32) },
	};

	return syscall(SYS_capset, &head, half) ? -errno : 0;
}

bool capability_have(int capability)
{
	struct sets sets;

	return sets_get(&sets) == 0 && (sets.effective & BIT(capability));
}

/*
 * Drop the bounding set: capabilities that root regains by executing a program, or that a file
 * adds. This needs CAP_SETPCAP. Without it, even root cannot gain capabilities.
 */
static int bounds_drop(void)
{
	for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
		if (prctl(PR_CAPBSET_DROP, capability))
			return errno == EPERM ? 0 : -errno;
	return 0;
}

int host_keep_capabilities(enum lever lever, struct error *error)
{
	uint64_t wanted = BIT(CAP_SYS_NICE) | BIT(CAP_KILL) | BIT(CAP_SYS_PTRACE);
	struct sets sets;
	int rc = sets_get(&sets);

	if (lever == LEVER_AUTOGROUP)
		wanted |= BIT(CAP_DAC_OVERRIDE);
	if (!rc && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		rc = -errno;
	if (!rc)
		rc = bounds_drop();
	if (!rc && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
		rc = -errno;
	if (!rc)
		rc = sets_put(sets.permitted & wanted);
	return rc ? error_set(error, rc, "cannot drop privileges: %s", strerror(-rc)) : 0;
}
