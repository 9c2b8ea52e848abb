/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a closed store, to be changed and restored. Include after cmocka.h and its headers.
 */
#ifndef TESTS_STORE_IMAGE_H
#define TESTS_STORE_IMAGE_H

#include "tests/store/file.h"

#define FILES 3
#define FILE_BYTES (2 << 20)

static const char *const suffixes[FILES] = { "", "-wal", "-receipt" };
enum which { STORE, LOG, RECEIPT };

struct image {				/* a closed store */
	unsigned char *bytes[FILES];
	size_t size[FILES];		/* 0: does not exist */
	uint64_t content;
};

static inline void file_path(const struct store_file *file, enum which which, char path[120])
{
	snprintf(path, 120, "%.80s%s", file->path, suffixes[which]);
}

static inline void image_take(const struct store_file *store_file, struct image *image)
{
	char path[120];

	for (enum which k = STORE; k < FILES; k++) {
		FILE *file;

		file_path(store_file, k, path);
		file = fopen(path, "r");
		image->bytes[k] = image->bytes[k] ? image->bytes[k] : malloc(FILE_BYTES);
		image->size[k] = file ? fread(image->bytes[k], 1, FILE_BYTES, file) : 0;
		assert_true(image->size[k] < FILE_BYTES);
		if (file)
			fclose(file);
	}
}

static inline void image_put(struct store_file *store_file, const struct image *image)
{
	char path[120];

	store_close(store_file->store);
	store_file->store = NULL;
	directory_clear(store_file->directory);
	for (enum which k = STORE; k < FILES; k++) {
		FILE *file;

		if (image->size[k] == 0)
			continue;
		file_path(store_file, k, path);
		file = fopen(path, "w");
		assert_int_equal(fwrite(image->bytes[k], 1, image->size[k], file), image->size[k]);
		fclose(file);
	}
}

/* Hash all rows. A store without a receipt gets another name by a commit. */
static inline uint64_t content(struct store *store)
{
	static const char *const tables[] = { "meta WHERE key NOT IN ('identity', 'commits')", "job", "task",
					      "history" };
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		sqlite3_stmt *statement;
		char sql[60];
		int rc;

		snprintf(sql, sizeof(sql), "SELECT * FROM %s", tables[i]);
		if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
			return 0;
		while ((rc = sqlite3_step(statement)) == SQLITE_ROW)
			for (int column = 0; column < sqlite3_column_count(statement); column++)
				for (const unsigned char *c = sqlite3_column_text(statement, column); c && *c; c++)
					sum = page_mix(sum, *c);
		sqlite3_finalize(statement);
		if (rc != SQLITE_DONE)
			return 0;
	}
	return sum;
}

#endif
