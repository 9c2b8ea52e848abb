/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/whatif/suppose.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/lists.h"
#include "conf/base/utf8.h"
#include "sched/policy/policies.h"
#include "sched/whatif/inside.h"

#define SHARES_MOST 4294967295.0
#define FACTOR_MOST 1e100

static void supposition_free(struct supposition *supposition)
{
	free(supposition->option);
	free(supposition->name);
	free(supposition->text);
	free(supposition->file);
}

void suppose_nothing(struct suppositions *suppositions)
{
	for (size_t i = 0; i < suppositions->n; i++)
		supposition_free(&suppositions->items[i]);
	free(suppositions->items);
	*suppositions = (struct suppositions){ 0 };
}

static bool changes_files(const struct supposition *supposition)
{
	return supposition->kind == SUPPOSED_SET || supposition->kind == SUPPOSED_FILE ||
	       supposition->kind == SUPPOSED_ALGORITHM ||
	       (supposition->kind == SUPPOSED_SHARER && supposition->amount != SUPPOSE_FACTOR) ||
	       (supposition->kind == SUPPOSED_SLOTS && !strchr(supposition->name, '@'));
}

bool suppose_files(const struct suppositions *suppositions)
{
	for (size_t i = 0; i < suppositions->n; i++)
		if (changes_files(&suppositions->items[i]))
			return true;
	return false;
}

int suppose_error(const struct supposition *supposition, int rc, struct error *error, const char *format, ...)
{
	char text[sizeof(error->text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return error_set(error, rc, "%.100s: %s", supposition->option, text);
}

static int copied(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

/* Append a supposition. Texts are copied. */
static int add(struct suppositions *list, const struct supposition *like, const char *option)
{
	struct supposition *supposition = array_add(&list->items, &list->n, sizeof(*supposition));

	if (!supposition)
		return -ENOMEM;
	*supposition = *like;
	supposition->option = supposition->name = supposition->text = supposition->file = NULL;
	if (copied(&supposition->option, option) || copied(&supposition->name, like->name) ||
	    copied(&supposition->text, like->text) || copied(&supposition->file, like->file)) {
		supposition_free(supposition);
		list->n--;
		return -ENOMEM;
	}
	return 0;
}

static char *borrowed(const char *text)
{
	return (char *)(uintptr_t)text;
}

/* Files */

/* Check that a text has only one line. */
static int check_text(const char *option, const char *text, struct error *error)
{
	for (size_t n; *text; text += n) {
		n = utf8_length(text);
		if (n == 0)
			return error_set(error, -EINVAL, "%.60s: only printable UTF-8 is allowed", option);
	}
	return 0;
}

/* Return whether a name is relative, without empty parts and parts that begin with a dot. */
static bool is_file_name(const char *name)
{
	for (const char *p = name;; p++) {
		size_t n = strcspn(p, "/");

		if (n == 0 || *p == '.')
			return false;
		p += n;
		if (!*p)
			return true;
	}
}

int suppose_set(struct suppositions *suppositions, const char *option, const char *text, struct error *error)
{
	const char *equals = strchr(text, '='), *colon = equals ? memchr(text, ':', (size_t)(equals - text)) : NULL;
	const char *name = colon ? colon + 1 : text;
	struct supposition like = { .kind = SUPPOSED_SET };
	int rc = check_text(option, text, error);

	if (rc)
		return rc;
	if (!equals || equals == name || strcspn(name, " \t") < (size_t)(equals - name))
		return error_set(error, -EINVAL, "%.60s: \"%.60s\" is not NAME=VALUE or FILE:NAME=VALUE",
				 option, text);
	like.name = strndup(name, (size_t)(equals - name));
	like.text = borrowed(equals + 1);
	like.file = colon ? strndup(text, (size_t)(colon - text)) : NULL;
	if (!like.name || (colon && !like.file))
		rc = -ENOMEM;
	else if (like.file && !is_file_name(like.file))
		rc = error_set(
			error, -EINVAL,
			"%.60s: \"%.60s\" is not a file of a cell: use sched_conf, queue/NAME, users/NAME, slurm.conf, "
			"...",
			option, like.file);
	else
		rc = add(suppositions, &like, option);
	free(like.name);
	free(like.file);
	return rc;
}

int suppose_file(struct suppositions *suppositions, const char *option, const char *name, const char *text)
{
	return add(suppositions,
		   &(struct supposition){ .kind = SUPPOSED_FILE, .name = borrowed(name), .text = borrowed(text) },
		   option);
}

int suppose_algorithm(struct suppositions *suppositions, const char *option, const char *name, bool tree_shares,
		      struct error *error)
{
	char names[POLICIES_NAMES_BYTES];

	if (!policies_find(name))
		return error_set(error, -EINVAL, "%.60s: unknown algorithm \"%.40s\": use %s", option, name,
				 policies_names(names, " or "));
	return add(suppositions,
		   &(struct supposition){ .kind = SUPPOSED_ALGORITHM, .name = borrowed(name), .number = tree_shares },
		   option);
}

/* Sharers */

static int check_amount(const char *option, enum suppose_whose whose, enum suppose_amount what, double value,
			struct error *error)
{
	if (what == SUPPOSE_FACTOR && !(value >= 1.0 && value <= FACTOR_MOST))
		return error_set(error, -EINVAL, "%.60s: %g is not a factor of at least 1", option, value);
	if (what != SUPPOSE_FACTOR && !(value >= 0.0 && value <= SHARES_MOST && value == floor(value)))
		return error_set(error, -EINVAL, "%.60s: %g is not a whole number from 0 to 4294967295",
				 option, value);
	if (what == SUPPOSE_FACTOR && whose != SUPPOSE_USER)
		return error_set(error, -EINVAL,
				 "%.60s: only users have priority factors; "
				 "use --set GROUP_PRIO_FACTOR_NAME=FACTOR for a group",
				 option);
	if (what != SUPPOSE_SHARES && whose == SUPPOSE_ACCOUNT)
		return error_set(error, -EINVAL, "%.60s: accounts have only shares", option);
	return 0;
}

int suppose_sharer(struct suppositions *suppositions, const char *option, enum suppose_whose whose, const char *name,
		   enum suppose_amount what, double value, struct error *error)
{
	struct error why;
	int rc = check_amount(option, whose, what, value, error);

	/* a submitter's name has an @ */
	if (rc == 0 && what != SUPPOSE_FACTOR && name_check(name, &why))
		rc = error_set(error, -EINVAL, "%.60s: \"%.60s\" found: %.100s", option, name, why.text);
	if (rc == 0 && what == SUPPOSE_FACTOR)
		rc = *name ? check_text(option, name, error)
			   : error_set(error, -EINVAL, "%.60s: a name is missing", option);
	return rc ? rc
		  : add(suppositions,
			&(struct supposition){ .kind = SUPPOSED_SHARER,
					       .name = borrowed(name),
					       .whose = whose,
					       .amount = what,
					       .value = value },
			option);
}

/* Reported objects */

int suppose_slots(struct suppositions *suppositions, const char *option, const char *queue, uint32_t slots)
{
	return add(suppositions,
		   &(struct supposition){ .kind = SUPPOSED_SLOTS, .name = borrowed(queue), .number = slots }, option);
}

int suppose_event(struct suppositions *suppositions, const char *option, const struct event *event)
{
	return add(suppositions, &(struct supposition){ .kind = SUPPOSED_EVENT, .event = *event }, option);
}

int suppose_hold(struct suppositions *suppositions, const char *option, uint32_t job_number, const char *place,
		 const char *release)
{
	struct supposition like = { .kind = SUPPOSED_HOLD, .number = job_number };

	snprintf(like.place, sizeof(like.place), "%s", place);
	snprintf(like.release, sizeof(like.release), "%s", release);
	return add(suppositions, &like, option);
}

int suppose_decay(struct suppositions *suppositions, const char *option, const char *user, int64_t seconds)
{
	return add(suppositions,
		   &(struct supposition){ .kind = SUPPOSED_DECAY, .name = borrowed(user), .time = seconds }, option);
}

int suppose_at(struct suppositions *suppositions, const char *option, int64_t time)
{
	return add(suppositions, &(struct supposition){ .kind = SUPPOSED_TIME, .time = time }, option);
}

int suppose_after(struct suppositions *suppositions, const char *option, int64_t seconds)
{
	return add(suppositions, &(struct supposition){ .kind = SUPPOSED_TIME, .time = seconds, .is_relative = true },
		   option);
}
