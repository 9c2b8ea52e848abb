/* SPDX-License-Identifier: Apache-2.0 */
#include "conf/base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool letters_match(char a, char b)
{
	return toupper((unsigned char)a) == toupper((unsigned char)b);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

unsigned nearest_changes(const char *a, const char *b)
{
	unsigned rows[3][NEAREST_NAME_MOST + 1], *two = rows[0], *before = rows[1], *row = rows[2], *spare;
	size_t n = strlen(a), m = strlen(b);

	if (n > NEAREST_NAME_MOST || m > NEAREST_NAME_MOST)
		return UINT_MAX;
	for (size_t j = 0; j <= m; j++)
		before[j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= m; j++) {
			row[j] = least(before[j], row[j - 1]) + 1;
			row[j] = least(row[j], before[j - 1] + !letters_match(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && letters_match(a[i - 1], b[j - 2]) && letters_match(a[i - 2], b[j - 1]))
				row[j] = least(row[j], two[j - 2] + 1);
		}
		spare = two, two = before, before = row, row = spare;
	}
	return before[m];
}

void nearest_look(struct nearest *meant, const char *known)
{
	size_t n = strlen(meant->name);
	unsigned most = n <= 2 ? 0 : n <= 5 ? 1 : 2, changes = nearest_changes(meant->name, known);

	if (changes > most || (meant->found && changes >= meant->changes))
		return;
	meant->found = known;
	meant->changes = changes;
}

const char *nearest_of(const char *name, const char *const *names, size_t n)
{
	struct nearest meant = { .name = name };

	for (size_t k = 0; k < n; k++)
		nearest_look(&meant, names[k]);
	return meant.found;
}
