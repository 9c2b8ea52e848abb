/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorded conversations of tests/reference/gdi, message by message. A file of another format
 * ends the program.
 */
#ifndef TESTS_GDI_VECTORS_H
#define TESTS_GDI_VECTORS_H

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VECTORS "tests/reference/gdi/*.hex"
enum { TAG_GDI = 2, TAG_ACK = 3, TAG_REPORT = 4, TAG_LEAVE = 17 };	/* tags of messages with data */

static inline void vector_need(int holds, const char *path)
{
	if (!holds) {
		fprintf(stderr, "%s: not a recorded conversation\n", path);
		abort();
	}
}

struct vector_message {
	const char *file;
	char direction;			/* '>' to the qmaster, '<' from it */
	char format[8];			/* "bin", "am", "sim", "ccm" ... */
	unsigned tag, id, answers;
	unsigned char *data;		/* memory of exactly this size */
	size_t n;
};

struct vector_bytes {
	char *bytes;
	size_t n;
};

static inline struct vector_bytes vector_direction(const char *path, char direction)
{
	FILE *file = fopen(path, "r");
	struct vector_bytes all = { NULL, 0 };
	char *line = NULL;
	size_t capacity = 0;

	vector_need(file != NULL, path);
	while (getline(&line, &capacity, file) > 0) {
		if (line[0] != direction)
			continue;
		all.bytes = realloc(all.bytes, all.n + strlen(line));
		vector_need(all.bytes != NULL, path);
		for (const char *at = line + 1; *at; at++)
			if (isxdigit((unsigned char)at[0]) && isxdigit((unsigned char)at[1])) {
				all.bytes[all.n++] = (char)strtoul((char[]) { at[0], at[1], 0 }, NULL, 16);
				at++;
			}
	}
	free(line);
	fclose(file);
	return all;
}

/*
 * Call `take` for each message with a header of its own, with the data in memory of exactly its
 * size.
 */
static inline void vector_messages(const char *path, char direction, void (*take)(const struct vector_message *message))
{
	struct vector_bytes all = vector_direction(path, direction);

	for (size_t at = 0; at < all.n;) {
		struct vector_message vector_message = { .file = path, .direction = direction };
		unsigned length = 0;
		int used = 0, found;
		char *xml = strndup(all.bytes + at, all.n - at < 400 ? all.n - at : 400);

		vector_need(xml && sscanf(xml, "<gmsh><dl>%u</dl></gmsh>%n", &length, &used) == 1, path);
		at += (size_t)used + length;
		unsigned data = 0;

		found = sscanf(
			xml + used,
			"<mih version=\"0.1\"><mid>%u</mid><dl>%u</dl><df>%7[a-z]</df><mat>%*[a-z]</mat><tag>%u</tag><rid>%u</rid></mih>",
			&vector_message.id, &data, vector_message.format, &vector_message.tag, &vector_message.answers);
		if (found < 3)
			found = sscanf(xml + used, "<mih version=\"0.1\"><mid>%u</mid><dl>%u</dl><df>%7[a-z]</df>",
				       &vector_message.id, &data, vector_message.format);
		if (found >= 3) {
			vector_message.n = data;
			vector_need(vector_message.n <= all.n - at, path);
			vector_message.data = malloc(vector_message.n ? vector_message.n : 1);
			vector_need(vector_message.data != NULL, path);
			memcpy(vector_message.data, all.bytes + at, vector_message.n);
			take(&vector_message);
			free(vector_message.data);
			at += data;
		}
		free(xml);
	}
	free(all.bytes);
}

/* Process all messages, or those whose file name contains `name`. */
static inline void vectors_all(const char *name, void (*take)(const struct vector_message *message))
{
	glob_t files;

	vector_need(glob(VECTORS, 0, NULL, &files) == 0, VECTORS);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		if (name && !strstr(files.gl_pathv[i], name))
			continue;
		vector_messages(files.gl_pathv[i], '>', take);
		vector_messages(files.gl_pathv[i], '<', take);
	}
	globfree(&files);
}

/* Return whether the data is a packed buffer of our version. All recorded ones but one are. */
static inline int vector_packed(const struct vector_message *message)
{
	static const unsigned char header[] = { 0, 0, 0, 0, 0x10, 2, 0, 0 };

	return strcmp(message->format, "bin") == 0 && message->n >= sizeof(header) &&
	       memcmp(message->data, header, sizeof(header)) == 0;
}

#endif
