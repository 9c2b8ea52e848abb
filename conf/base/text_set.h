/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Set of texts, each stored once, numbered from 0 in the order of insertion. Their hashes begin
 * with a secret number, so that users who choose texts cannot cause equal hashes.
 */
#ifndef CONF_BASE_TEXT_SET_H
#define CONF_BASE_TEXT_SET_H

#include "conf/base/index.h"

struct text_set {			/* zero-initialize */
	struct index index;
	uint64_t secret;
	uint32_t *hashes;
	char **texts;			/* owned */
	size_t n, capacity;
};

/* Return the number of a text, or INDEX_NONE if it is not in the set. */
uint32_t text_set_find(const struct text_set *set, const char *text);
/* Store the text's number in `*number`. A copy is kept if the text is new. Returns 0 or -ENOMEM. */
int text_set_add(struct text_set *set, const char *text, uint32_t *number);
/* Remove all texts and keep the memory of the tables. */
void text_set_clear(struct text_set *set);
void text_set_free(struct text_set *set);

#endif
