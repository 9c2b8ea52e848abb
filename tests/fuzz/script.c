/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A job script whose first line is the prefix of its options. All contents of a request must be
 * text that JSON can represent. Words of options are parts of the script and of one line.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "sched/client/option_lines.h"
#include "sched/client/text_file.h"
#include "tests/fuzz/support.h"

static void words_look(const struct option_lines *lines, char *const *words, ssize_t n)
{
	MUST(n >= 1 && n <= LINE_WORDS_MOST && words[n] == NULL);
	for (ssize_t k = 0; k < n; k++) {
		MUST(words[k] >= lines->text && words[k] <= lines->text + lines->bytes);
		MUST(words[k] + strlen(words[k]) <= lines->text + lines->bytes);
		MUST(!strchr(words[k], '\n'));
	}
}

static void lines_look(struct option_lines *lines)
{
	char *words[LINE_WORDS_MOST + 1];
	struct error error = { "" };
	unsigned before = 0;
	ssize_t n;

	while ((n = option_lines_next(lines, words, &error)) > 0) {
		words_look(lines, words, n);
		MUST(lines->number > before);
		before = lines->number;
		fuzz_taken(true);
	}
	MUST(n == 0 || (n == -EINVAL && error.text[0]));
	fuzz_taken(n == 0);
}

#ifdef BROKEN			/* invalid text is sent */
int __wrap_text_file_check(const char *text, size_t bytes, unsigned *line);

int __wrap_text_file_check(const char *text, size_t bytes, unsigned *line)
{
	(void)text, (void)bytes, (void)line;
	return 0;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct piece rest = { (const char *)data, size }, prefix;
	char *text = malloc(size + 1);
	struct option_lines lines = { .text = text };
	unsigned line = 0;
	json_t *string;
	int rc;

	MUST(text != NULL);
	if (piece_line(&rest, &prefix)) {
		memcpy(text, rest.text, rest.length);
		text[rest.length] = '\0';
		rc = text_file_check(text, rest.length, &line);
		string = json_stringn(text, rest.length);
		MUST(rc == 0	      ? string != NULL
		     : rc == -ENOEXEC ? strlen(text) < rest.length
				      : rc == -EILSEQ && !string && line >= 1);
		json_decref(string);
		lines.bytes = rest.length;
		lines.prefix = piece_is(&prefix, "file") ? NULL : prefix.text;
		lines_look(&lines);
		piece_free(&prefix);
	}
	free(text);
	return 0;
}
