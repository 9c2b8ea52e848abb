/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/reader.h"

#include <stdio.h>

char *path_join(const char *dir, const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s%s%s", dir, folder ? folder : "", folder ? "/" : "", name) < 0)
		return NULL;
	return path;
}
