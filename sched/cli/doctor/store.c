/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/cli/doctor/store.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/cli/cli.h"
#include "sched/process/json.h"
#include "sched/store/look.h"

struct store_place {
	char store[4200], active[4200];	/* `active` is "" if there is none */
};

/* Find the store. A directory is the state of a local cell, any other path is a store. */
static int place_find(struct store_place *place, const char *cell, const char *where)
{
	char state[4100];
	struct stat st;
	int n = where ? snprintf(state, sizeof(state), "%s", where) : snprintf(state, sizeof(state), "%s/spool", cell);

	if (n >= (int)sizeof(state))
		return -ENAMETOOLONG;
	*place = (struct store_place){ .active = "" };
	if (stat(state, &st) || !S_ISDIR(st.st_mode)) {
		strcpy(place->store, state);
		return 0;
	}
	snprintf(place->store, sizeof(place->store), "%s/fairlead.db", state);
	snprintf(place->active, sizeof(place->active), "%s/active_jobs", state);
	return 0;
}

/* Text */

static void found_print(void *context, const char *text)
{
	(void)context;
	printf("  ");
	for (const char *c = text; *c; c++)
		putchar((unsigned char)*c < ' ' || *c == 127 ? '?' : *c);
	putchar('\n');
}

static void look_print(const struct store_look *look)
{
	printf("%s: version %" PRId64 ", %" PRIu32 " pages, %" PRIu64 " commits, %" PRIu64 " jobs, %" PRIu64
	       " tasks; log: %" PRIu64 " frames, %" PRIu64 " commits\n",
	       look->path, look->version, look->pages, look->commits, look->jobs, look->tasks, look->log_frames,
	       look->log_commits);
	if (look->unstamped)
		printf("%" PRIu32
		       " pages have no checksum, since another program has written them; they get theirs when a "
		       "scheduler opens the store\n",
		       look->unstamped);
	if (look->damages)
		printf("%u things are damaged: see fairlead-store(5), DAMAGE\n", look->damages);
	else
		printf("sound\n");
}

/* JSON */

struct found_list {
	struct out out;
	bool any;
};

static void found_print_json(void *context, const char *text)
{
	struct found_list *list = context;

	json_write_string(&list->out, list->any ? "," : "", text);
	list->any = true;
}

static int look_print_json(struct found_list *list, const struct store_look *look)
{
	struct out *out = &list->out;
	int err;

	json_write_string(out, "],\"store\":", look->path);
	json_write_bool(out, ",\"sound\":", look->damages == 0);
	json_write_number(out, ",\"version\":", look->version);
	json_write_number(out, ",\"pages\":", look->pages);
	json_write_number(out, ",\"unstamped\":", look->unstamped);
	json_write_number(out, ",\"commits\":", (int64_t)look->commits);
	json_write_number(out, ",\"acknowledged\":", (int64_t)look->acknowledged);
	json_write_number(out, ",\"log_frames\":", (int64_t)look->log_frames);
	json_write_number(out, ",\"log_commits\":", (int64_t)look->log_commits);
	json_write_number(out, ",\"jobs\":", (int64_t)look->jobs);
	json_write_number(out, ",\"tasks\":", (int64_t)look->tasks);
	json_write_literal(out, "}\n");
	err = out_flush(out);
	out_close(out);
	return err;
}

/* Verb */

static int look_failed(int code, const struct error *error)
{
	return cli_fail(code == -EACCES || code == -EPERM || code == -EROFS ? EXIT_PERMISSION : EXIT_NO_DATA, "%s",
			error->text);
}

static int doctor_look(struct store_look *look, bool json)
{
	struct found_list list = { .any = false };
	struct error error = { "" };
	int code;

	if (!json) {
		look->found = found_print;
		code = store_look(look, &error);
		if (code == 0)
			look_print(look);
		return code ? look_failed(code, &error) : look->damages ? EXIT_DIFFERENCE : EXIT_OK;
	}
	if (out_open(&list.out, STDOUT_FILENO))
		return cli_fail(EXIT_NO_DATA, "out of memory");
	look->found = found_print_json;
	look->context = &list;
	json_write_literal(&list.out, "{\"found\":[");
	code = store_look(look, &error);
	if (code == 0 && look_print_json(&list, look))
		return cli_unwritten(errno);
	if (code != 0)
		out_close(&list.out);
	return code ? look_failed(code, &error) : look->damages ? EXIT_DIFFERENCE : EXIT_OK;
}

int doctor_store(const char *cell, const char *where, bool json)
{
	struct store_place place;
	struct store_look look = { .path = place.store };
	struct stat st;

	if (!where && (!cell || !*cell))
		return cli_fail(EXIT_USAGE,
				"doctor store: name a store: its file, its state directory, or a cell with -c CELL");
	if (place_find(&place, cell, where))
		return cli_fail(EXIT_NO_DATA, "%.60s...: the name is too long", where ? where : cell);
	look.active = *place.active && stat(place.active, &st) == 0 ? place.active : NULL;
	return doctor_look(&look, json);
}
