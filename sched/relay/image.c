/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/relay/image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sched/run/records.h"

/* Objects */

static size_t blocks_of(uint64_t bytes)
{
	return (size_t)((bytes + IMAGE_BLOCK_BYTES - 1) / IMAGE_BLOCK_BYTES);
}

/* Set the size of an object. New bytes are zero, and blocks that are new or longer are marked. */
static int object_resize(struct image_object *object, uint64_t size)
{
	size_t before = object->nblocks, n = blocks_of(size), last = object->size / IMAGE_BLOCK_BYTES;
	uint64_t capacity = object->capacity;

	if (n > before || size > capacity) {
		capacity = (uint64_t)n * IMAGE_BLOCK_BYTES;
		uint8_t *bytes = realloc(object->bytes, capacity);

		object->bytes = bytes ? bytes : object->bytes;
		uint8_t *changed = realloc(object->changed, n);

		object->changed = changed ? changed : object->changed;
		if (!bytes || !changed)
			return -ENOMEM;
		object->capacity = capacity;
	}
	if (size > object->size) {
		memset(object->bytes + object->size, 0, size - object->size);
		memset(object->changed + last, 1, n - last);
	} else if (size < object->size && size % IMAGE_BLOCK_BYTES) {
		object->changed[n - 1] = 1;
	}
	object->size = size;
	object->nblocks = n;
	return 0;
}

static uint64_t block_bytes(const struct image_object *object, size_t block)
{
	uint64_t begin = (uint64_t)block * IMAGE_BLOCK_BYTES, rest = object->size - begin;

	return rest < IMAGE_BLOCK_BYTES ? rest : IMAGE_BLOCK_BYTES;
}

/* Copy the blocks that differ, and mark them. */
static int object_take(struct image_object *object, const uint8_t *bytes, uint64_t size)
{
	if (object_resize(object, size))
		return -ENOMEM;
	for (size_t block = 0; block < object->nblocks; block++) {
		uint64_t begin = (uint64_t)block * IMAGE_BLOCK_BYTES, n = block_bytes(object, block);

		if (memcmp(object->bytes + begin, bytes + begin, n) == 0)
			continue;
		memcpy(object->bytes + begin, bytes + begin, n);
		object->changed[block] = 1;
	}
	return 0;
}

static void object_free(struct image_object *object)
{
	free(object->bytes);
	free(object->changed);
	*object = (struct image_object){ 0 };
}

/* Shape */

size_t image_record_bytes(unsigned table)
{
	return table == TABLE_STRINGS ? sizeof(uint32_t)
	       : table == TABLE_TEXT  ? 1
	       : table < TABLES	      ? records_bytes_each(table)
				      : 0;
}

/* Set the number of chunks. Those that are no longer needed are freed. */
static int chunks_resize(struct image *image, size_t n)
{
	for (; image->nchunks > n; image->nchunks--) {
		object_free(&image->facts[image->nchunks - 1]);
		object_free(&image->results[image->nchunks - 1]);
	}
	if (n > image->nchunks) {
		struct image_object *facts = realloc(image->facts, n * sizeof(*facts));

		image->facts = facts ? facts : image->facts;
		struct image_object *results = realloc(image->results, n * sizeof(*results));

		image->results = results ? results : image->results;
		if (!facts || !results)
			return -ENOMEM;
		memset(facts + image->nchunks, 0, (n - image->nchunks) * sizeof(*facts));
		memset(results + image->nchunks, 0, (n - image->nchunks) * sizeof(*results));
		image->nchunks = n;
	}
	return 0;
}

/* Set the rows and the size of chunks. */
static int rows_set(struct image *image, uint64_t rows, uint64_t results_bytes)
{
	uint64_t n = (rows + CHUNK_ROWS - 1) / CHUNK_ROWS;

	if (n > MAX_CHUNKS || results_bytes > EXTENT_BYTES * 4u)
		return -EPROTO;
	image->rows = rows;
	image->facts_bytes = sizeof(struct job_facts);
	image->results_bytes = results_bytes;
	return chunks_resize(image, (size_t)n);
}

/*
 * Return the bytes that an image of this shape has. UINT64_MAX: more than IMAGE_MOST_BYTES, or
 * impossible.
 */
static uint64_t shape_bytes(uint64_t rows, const uint64_t counts[MAX_TABLES], uint64_t results_bytes)
{
	uint64_t chunks = (rows + CHUNK_ROWS - 1) / CHUNK_ROWS, all = 0;

	if (rows > (uint64_t)MAX_CHUNKS * CHUNK_ROWS || results_bytes > EXTENT_BYTES * 4u)
		return UINT64_MAX;
	all = chunks * (sizeof(struct job_facts) + results_bytes);
	for (unsigned id = 0; id < MAX_TABLES; id++) {
		size_t each = image_record_bytes(id);

		if (counts[id] > 0 &&
		    (each == 0 || all > IMAGE_MOST_BYTES || counts[id] > (IMAGE_MOST_BYTES - all) / each))
			return UINT64_MAX;
		all += counts[id] * each;
	}
	return all;
}

int image_shape(struct image *image, uint64_t rows, const uint64_t counts[MAX_TABLES], uint64_t results_bytes,
		uint64_t growth)
{
	uint64_t bytes = shape_bytes(rows, counts, results_bytes), before = image_bytes(image, true);
	int rc;

	if (bytes == UINT64_MAX || (bytes > before && bytes - before > growth))
		return -EPROTO;
	rc = rows_set(image, rows, results_bytes);
	for (unsigned id = 0; rc == 0 && id < MAX_TABLES; id++)
		rc = object_resize(&image->tables[id], counts[id] * image_record_bytes(id));
	for (size_t k = 0; rc == 0 && k < image->nchunks; k++) {
		rc = object_resize(&image->facts[k], image->facts_bytes);
		rc = rc ? rc : object_resize(&image->results[k], image->results_bytes);
	}
	return rc;
}

uint32_t image_objects(const struct image *image)
{
	return (uint32_t)(MAX_TABLES + 2 * image->nchunks);
}

struct image_object *image_object(const struct image *image, uint32_t number)
{
	size_t chunk = number < MAX_TABLES ? 0 : number - MAX_TABLES;

	if (number < MAX_TABLES)
		return (struct image_object *)&image->tables[number];
	if (chunk < image->nchunks)
		return &image->facts[chunk];
	return chunk - image->nchunks < image->nchunks ? &image->results[chunk - image->nchunks] : NULL;
}

void image_free(struct image *image)
{
	for (uint32_t k = 0; k < image_objects(image); k++)
		object_free(image_object(image, k));
	free(image->facts);
	free(image->results);
	*image = (struct image){ 0 };
}

/* Taking */

static int chunk_take(struct image *image, const struct view *view, size_t k)
{
	uint64_t row = (uint64_t)k * CHUNK_ROWS;
	const uint8_t *facts = view_facts(view, row, 0, image->facts_bytes),
		      *results = view_results(view, row, 0, image->results_bytes);
	int rc;

	if (!facts || !results)
		return -EPROTO;
	rc = object_take(&image->facts[k], facts, image->facts_bytes);
	return rc ? rc : object_take(&image->results[k], results, image->results_bytes);
}

int image_take(struct image *image, const struct view *view)
{
	int rc;

	view_copy(image->head, view->directory->head, HEAD_BYTES);
	rc = rows_set(image, LOAD_ONCE(view->directory->rows), ((const struct run_record *)image->head)->results_bytes);
	for (unsigned id = 0; rc == 0 && id < MAX_TABLES; id++) {
		size_t each = image_record_bytes(id);
		uint64_t count = 0;
		const uint8_t *records = each ? view_table(view, id, each, &count) : NULL;

		rc = object_take(&image->tables[id], records, count * each);
	}
	for (size_t k = 0; rc == 0 && k < image->nchunks; k++)
		rc = chunk_take(image, view, k);
	return rc;
}

void image_sent(struct image *image)
{
	for (uint32_t k = 0; k < image_objects(image); k++) {
		struct image_object *object = image_object(image, k);

		if (object->nblocks > 0)
			memset(object->changed, 0, object->nblocks);
	}
}

uint64_t image_bytes(const struct image *image, bool all)
{
	uint64_t bytes = 0;

	for (uint32_t k = 0; k < image_objects(image); k++) {
		const struct image_object *object = image_object(image, k);

		for (size_t block = 0; block < object->nblocks; block++)
			bytes += all || object->changed[block] ? block_bytes(object, block) : 0;
	}
	return bytes;
}

/* Publishing */

static bool is_changed(const struct image_object *object)
{
	return object->nblocks > 0 && memchr(object->changed, 1, object->nblocks) != NULL;
}

static int tables_publish(const struct image *image, struct generation_writer *writer)
{
	for (unsigned id = 0; id < MAX_TABLES; id++) {
		const struct image_object *object = &image->tables[id];
		size_t each = image_record_bytes(id);
		void *table = each ? generation_table(writer, id, object->size / each, each) : NULL;

		if (each && !table)
			return -ENOMEM;
		if (object->size > 0)
			memcpy(table, object->bytes, object->size);
	}
	return 0;
}

/* Write the chunks. Facts without a changed block are shared with the generation before. */
static int chunks_publish(const struct image *image, struct generation_writer *writer, struct facts *facts,
			  uint64_t before)
{
	size_t shared, known = facts->n;

	for (size_t k = 0; k < image->nchunks; k++) {
		void *results = generation_results(writer, k, image->results_bytes);

		if (!results)
			return -ENOMEM;
		memcpy(results, image->results[k].bytes, image->results_bytes);
		if (k < known && !is_changed(&image->facts[k]))
			continue;
		if (facts_reserve(facts, (uint64_t)k * CHUNK_ROWS))
			return -ENOMEM;
		memcpy(facts_chunk(facts, (uint32_t)(k * CHUNK_ROWS)), image->facts[k].bytes, image->facts_bytes);
	}
	return facts_show(facts, writer, before, &shared);
}

int image_publish(struct image *image, struct segment *segment, struct facts *facts)
{
	uint64_t before = generation_current(segment);
	struct generation_writer writer;
	int rc;

	if (facts->n > image->nchunks)
		facts_free(facts);	/* fewer rows than before: all chunks are written again */
	rc = generation_begin(&writer, segment);
	if (rc)
		return rc;
	memcpy(writer.directory->head, image->head, HEAD_BYTES);
	writer.directory->rows = image->rows;
	rc = tables_publish(image, &writer);
	rc = rc ? rc : chunks_publish(image, &writer, facts, before);
	if (rc) {
		generation_abandon(&writer);
		return rc;
	}
	generation_publish(&writer);
	image_sent(image);
	return segment_announce(segment);
}
