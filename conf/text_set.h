/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Different texts, each kept once, with numbers from 0 in the order in which they came. Their
 * hashes begin with a number that nobody outside knows: who may choose texts can't choose equal
 * hashes.
 */
#ifndef CONF_TEXT_SET_H
#define CONF_TEXT_SET_H

#include "conf/index.h"

struct text_set {			/* zero-initialise */
	struct index index;
	uint64_t secret;
	uint32_t *hashes;
	char **texts;			/* owned */
	size_t n, capacity;
};

/* INDEX_NONE: it is not there. */
uint32_t text_set_find(const struct text_set *set, const char *text);
/* The text's number; a copy is kept if it is new. -ENOMEM. */
int text_set_add(struct text_set *set, const char *text, uint32_t *number);
/* No text is there any more; memory for their places stays. */
void text_set_clear(struct text_set *set);
void text_set_free(struct text_set *set);

#endif
