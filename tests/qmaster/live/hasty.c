/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler that removes finished tasks before it has booked them. In two of three seconds it
 * believes that the qmaster has no users and projects, so that no usage is sent. It sends the usage
 * later. If it is killed in between, usage is missing (kills).
 */
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct known;
bool __real_known_user_version(const struct known *known, const char *user, uint32_t *version);
bool __real_known_project_version(const struct known *known, const char *project, uint32_t *version);
bool __wrap_known_user_version(const struct known *known, const char *user, uint32_t *version);
bool __wrap_known_project_version(const struct known *known, const char *project, uint32_t *version);

bool __wrap_known_user_version(const struct known *known, const char *user, uint32_t *version)
{
	return time(NULL) % 3 == 0 && __real_known_user_version(known, user, version);
}

bool __wrap_known_project_version(const struct known *known, const char *project, uint32_t *version)
{
	return time(NULL) % 3 == 0 && __real_known_project_version(known, project, version);
}
