/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/qmaster/local/path.h"

#include <errno.h>
#include <stdio.h>

#include "shm/place.h"

int path_socket(struct sockaddr_un *at, const char *directory)
{
	struct segment_paths paths;
	int rc = segment_paths(&paths, directory);

	if (rc)
		return rc;
	*at = (struct sockaddr_un){ .sun_family = AF_UNIX };
	int length = snprintf(at->sun_path, sizeof(at->sun_path), "%s/socket", paths.directory);

	return (size_t)length < sizeof(at->sun_path) ? 0 : -ENAMETOOLONG;
}
