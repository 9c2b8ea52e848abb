/* SPDX-License-Identifier: Apache-2.0 */
/* Options of qconf that change something: a message names the file of the cell to edit instead. */
#include <stdio.h>
#include <string.h>

#include "conf/base/utf8.h"
#include "sched/compat/qconf.h"

/* Objects of -aq, -Aq, -dq, -mq, -Mq and similar options: the letters after the first one. */
static const struct { const char *object, *file; bool named; } files[] = {
	{ "q", "queue", true }, { "p", "pe", true }, { "e", "hosts", true }, { "hgrp", "hgrp", true },
	{ "u", "usersets", true }, { "user", "users", true }, { "prj", "projects", true }, { "cal", "calendar", true },
	{ "ckpt", "ckpt", true }, { "c", "complex", false }, { "conf", "global_conf", false },
	{ "sconf", "sched_conf", false }, { "stree", "share_tree", false }, { "stnode", "share_tree", false },
	{ "rqs", "rqs", false },
};

/* Objects of -mattr and similar options: the next word. */
static const struct { const char *object, *file; } attributes[] = {
	{ "queue", "queue" }, { "exechost", "hosts" }, { "pe", "pe" }, { "ckpt", "ckpt" }, { "hostgroup", "hgrp" },
	{ "resource_quota", "rqs" }, { "calendar", "calendar" },
};

/* Options without a file, each with advice. */
static const struct { const char *option, *advice; } others[] = {
	{ "-am", "the managers and operators of a local cell are root and the user of its scheduler" },
	{ "-dm", NULL }, { "-ao", NULL }, { "-do", NULL }, { "-ah", "a local cell has one host" }, { "-dh", NULL },
	{ "-as", NULL }, { "-ds", NULL }, { "-ke", "to stop the scheduler of a local cell, end its process" },
	{ "-kej", NULL }, { "-km", NULL }, { "-ks", NULL }, { "-kec", NULL }, { "-kt", NULL }, { "-at", NULL },
	{ "-cq", "qmod -rq reschedules the jobs of a queue" },
	{ "-clearusage",
		"the store keeps the usage of a local cell; fairlead userprio changes that of HTCondor's policy" },
};

static bool refuse(const char *option, const char *directory, const char *file, const char *name)
{
	char text[600];

	snprintf(text, sizeof(text),
		 "denied: \"%.40s\": to change a local cell, edit %.300s/%s%s%.100s", option,
		 directory, file, *name ? "/" : "", name);
	utf8_clean(text);
	fprintf(stderr, "%s\n", text);
	return true;
}

static bool other_refused(const char *option)
{
	const char *advice = "";

	for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++) {
		advice = others[k].advice ? others[k].advice : advice;
		if (strcmp(others[k].option, option) == 0) {
			fprintf(stderr, "denied: \"%s\": %s\n", option, advice);
			return true;
		}
	}
	return false;
}

bool edit_refused(const char *directory, char **words, int n)
{
	const char *option = words[0], *object = *option == '-' && option[1] ? option + 2 : "",
		   *name = n > 1 && !strchr(words[1], '/') ? words[1] : "";

	if (other_refused(option))
		return true;
	if (*option != '-' || !option[1] || !strchr("aAdDmMrRp", option[1]))
		return false;
	if (strcmp(object, "attr") == 0 || strcmp(option, "-purge") == 0)
		for (size_t k = 0; n > 1 && k < sizeof(attributes) / sizeof(*attributes); k++)
			if (strcmp(attributes[k].object, words[1]) == 0)
				return refuse(option, directory, attributes[k].file,
					      n > 4 && !strchr(words[4], '/') ? words[4] : "");
	for (size_t k = 0; k < sizeof(files) / sizeof(*files); k++)
		if (strcmp(files[k].object, object) == 0)
			return refuse(option, directory, files[k].file,
				      files[k].named && strchr("adm", option[1]) ? name : "");
	return false;
}
