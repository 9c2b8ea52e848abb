/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnosis of a cell that cannot be read: the cause and what to do. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/cell/directory.h"
#include "sched/client/trouble.h"
#include "sched/process/which_cell.h"
#include "sched/run/records.h"
#include "shm/look.h"

int cell_missing(struct messages *messages, const char *otherwise)
{
	return message_add(messages, EXIT_USAGE, NULL,
			"no cell is named: use -c CELL or set FAIRLEAD_CELL%s; there is no " CELL_BY_DEFAULT
			", which fairlead init creates",
			otherwise);
}

/*
 * Return whether this is the directory of a Grid Engine qmaster, for which a scheduler publishes
 * runs.
 */
static bool is_qmaster_cell(const char *directory)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/common/bootstrap", directory) < (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

int cell_check_jobs(struct messages *messages, const char *cell, const char *command, char **argv)
{
	char words[500] = "";
	size_t n = 0;

	if (directory_is_cell(cell) != -EINVAL || !is_qmaster_cell(cell))
		return EXIT_OK;
	for (; *argv && n < sizeof(words); argv++)
		n += (size_t)snprintf(words + n, sizeof(words) - n, " %s", *argv);
	return message_add(messages, EXIT_NO_DATA, NULL, "%s: the qmaster manages the jobs of this cell: use %s%s%s",
			   cell, command, words, which_cell_says());
}

/* Return a hint for users of systems where -c is a number of processors. */
static const char *number_hint(const char *cell, char *text, size_t size)
{
	*text = '\0';
	if (*cell && cell[strspn(cell, "0123456789")] == '\0')
		snprintf(text, size, "; -c names a cell, and slots are requested with -pe, as -pe smp %.9s", cell);
	return text;
}

int cell_check(struct messages *messages, const char *cell)
{
	char hint[100];
	int rc = directory_is_cell(cell);

	if (rc == -EINVAL && is_qmaster_cell(cell))
		return EXIT_OK;
	switch (rc) {
	case -ENOENT:
		return message_add(messages, EXIT_NO_DATA, NULL, "%s: no such cell: there is no such directory%s%s",
				   cell, number_hint(cell, hint, sizeof(hint)), which_cell_says());
	case -ENOTDIR:
		return message_add(messages, EXIT_NO_DATA, NULL, "%s: no such cell: it is not a directory%s", cell,
				   which_cell_says());
	case -EACCES:
		return message_add(messages, EXIT_PERMISSION, NULL,
				   "%s: this user may not search the cell's directory%s", cell, which_cell_says());
	case -EINVAL:
		return message_add(messages, EXIT_NO_DATA, NULL, "%s: not a cell: there is no " CELL_MAKERS "%s", cell,
				   which_cell_says());
	}
	return EXIT_OK;
}

/*
 * Report that the segment has another owner. In a directory open to everyone, any user could create
 * such a name and publish false data.
 */
static int not_ours(struct messages *messages, const char *cell)
{
	struct segment_paths paths;
	struct other_owner other_owner;

	if (segment_paths(&paths, cell) || place_look(&paths, &other_owner))
		return message_add(messages, EXIT_PERMISSION, NULL,
				   "%s: this user may not read the scheduler's shared memory", cell);
	return message_add(
		messages, EXIT_PERMISSION, NULL,
		"%s: %s is %s of user %u, and only a directory of root, of this user or of the cell's owner is trusted",
		cell, other_owner.path, other_owner.what, (unsigned)other_owner.owner);
}

static int shm_wrong(struct messages *messages, const char *cell, const struct segment_sight *look)
{
	if (look->found == LOOK_NO_SHM)
		return message_add(messages, EXIT_NO_DATA, NULL,
				"%s: there is no directory %s, which FAIRLEAD_SHM names for shared memory", cell,
				look->shm);
	if (look->found == LOOK_ELSEWHERE)
		return message_add(
			messages, EXIT_NO_DATA, NULL,
			"%s: no scheduler has published in %s, as FAIRLEAD_SHM says, but one has in " SEGMENT_SHM
			": unset it",
			cell, look->shm);
	return EXIT_OK;
}

int cell_check_shm(struct messages *messages, const char *cell)
{
	struct segment_sight look;

	segment_look(&look, cell, RECORDS_VERSION);
	return shm_wrong(messages, cell, &look);
}

static int not_published(struct messages *messages, const char *cell)
{
	struct segment_sight look;

	segment_look(&look, cell, RECORDS_VERSION);
	switch (look.found) {
	case LOOK_NO_SHM:
	case LOOK_ELSEWHERE:
		return shm_wrong(messages, cell, &look);
	case LOOK_STARTING:
		return message_add(
			messages, EXIT_NO_DATA, NULL,
			"%s: a scheduler is starting and has not published yet; if this does not change, read its log",
			cell);
	case LOOK_ENDED:
		return message_add(
			messages, EXIT_NO_DATA, NULL,
			"%s: no scheduler has published yet: the last one ended before its first run; read its log",
			cell);
	default:
		return message_add(messages, EXIT_NO_DATA, NULL, "%s: no scheduler has published in %s yet%s", cell,
				   look.shm, which_cell_says());
	}
}

static int not_understood(struct messages *messages, const char *cell)
{
	struct segment_sight look;

	segment_look(&look, cell, RECORDS_VERSION);
	switch (look.found) {
	case LOOK_NO_FILE:
		return message_add(messages, EXIT_NO_DATA, NULL,
				   "%s: %s is not a regular file, so no scheduler made it", cell, look.paths.state);
	case LOOK_EMPTY:
		return message_add(
			messages, EXIT_NO_DATA, NULL,
			"%s: %s is empty, so it is not complete; start a scheduler, which creates the "
			"file again",
			cell, look.paths.state);
	case LOOK_SWAPPED:
		return message_add(messages, EXIT_NO_DATA, NULL,
				"%s: %s was written on a machine with another byte order",
				cell, look.paths.state);
	case LOOK_NO_SEGMENT:
		return message_add(messages, EXIT_NO_DATA, NULL,
				"%s: %s is not a file of a scheduler; start a scheduler, which creates the file again",
				cell, look.paths.state);
	case LOOK_DAMAGED:
		return message_add(messages, EXIT_NO_DATA, NULL,
				   "%s: %s is damaged: its header does not match its size of %llu bytes", cell,
				   look.paths.state, (unsigned long long)look.bytes);
	default:
		return message_add(
			messages, EXIT_NO_DATA, NULL,
			"%s: the scheduler is of another version than this program: it publishes layout %u with "
			"records %u, "
			"and this program reads layout %u with records %u",
			cell, look.version, look.records, SEGMENT_VERSION, RECORDS_VERSION);
	}
}

int cell_attach_failed(struct messages *messages, const char *cell, int error)
{
	int code = error == -EPROTO || error == -EPERM ? EXIT_OK : cell_check(messages, cell);

	if (code)
		return code;
	switch (error) {
	case -ENOENT:
		return not_published(messages, cell);
	case -EPROTO:
		return not_understood(messages, cell);
	case -EPERM:
		return not_ours(messages, cell);
	case -EACCES:
		return message_add(messages, EXIT_PERMISSION, NULL,
				   "%s: this user may not read the scheduler's shared memory", cell);
	}
	errno = -error;
	return message_add(messages, EXIT_NO_DATA, NULL, "%s: %m", cell);
}
