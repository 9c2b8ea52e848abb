/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/local/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "shm/segment.h"

int path_socket(struct sockaddr_un *at, const char *directory)
{
	struct segment_paths paths;
	int rc = segment_paths(&paths, directory), length;

	if (rc)
		return rc;
	*at = (struct sockaddr_un){ .sun_family = AF_UNIX };
	length = (int)(strlen(paths.state) - strlen(".state"));
	if ((size_t)length + sizeof(".socket") > sizeof(at->sun_path))
		return -ENAMETOOLONG;
	snprintf(at->sun_path, sizeof(at->sun_path), "%.*s.socket", length, paths.state);
	return 0;
}
