/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of the Java Native Interface that java.c uses. Functions are members of a table whose layout
 * the interface defines for all versions. Building needs no header of a JDK.
 */
#ifndef DRMAA_JAVA_H
#define DRMAA_JAVA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JAVA_API __attribute__((visibility("default")))

typedef void *java_object;		/* also a class, a string, an array; NULL: null */
typedef struct java_method *java_method;

union java_value {
	int32_t integer;
	java_object object;
	int64_t whole;			/* eight bytes, the size of every value */
};

struct java_table;
typedef const struct java_table *const *java;	/* first argument of a native method */

/* Entries 0 to 228 of the table. */
struct java_table {
	void *reserved[6];
	java_object (*find_class)(java j, const char *name);			/* 6 */
	void *from_7[7];
	int32_t (*throw_new)(java j, java_object class, const char *message);	/* 14 */
	void *from_15[2];
	void (*exception_clear)(java j);					/* 17 */
	void *from_18[5];
	void (*delete_local)(java j, java_object object);			/* 23 */
	void *from_24[6];
	java_object (*new_object)(java j, java_object class, java_method constructor,
				  const union java_value *arguments); /* 30 */
	void *from_31[2];
	java_method (*get_method)(java j, java_object class, const char *name, const char *signature);	/* 33 */
	void *from_34[129];
	java_object (*new_string)(java j, const uint16_t *text, int32_t length);	/* 163 */
	int32_t (*string_length)(java j, java_object string);			/* 164 */
	void *from_165[6];
	int32_t (*array_length)(java j, java_object array);			/* 171 */
	java_object (*new_array)(java j, int32_t length, java_object class, java_object each);	/* 172 */
	java_object (*array_get)(java j, java_object array, int32_t place);	/* 173 */
	void (*array_set)(java j, java_object array, int32_t place, java_object value);	/* 174 */
	void *from_175[45];
	void (*string_copy)(java j, java_object string, int32_t from, int32_t length, uint16_t *to);	/* 220 */
	void *from_221[7];
	uint8_t (*exception_check)(java j);					/* 228 */
};

_Static_assert(offsetof(struct java_table, exception_check) == 228 * sizeof(void *), "the table has another layout");
_Static_assert(offsetof(struct java_table, array_length) == 171 * sizeof(void *), "the table has another layout");

/*
 * Convert a string to UTF-8; the caller frees it. NULL after an exception: the string is null, has
 * a character 0, or memory is exhausted.
 */
char *java_text(java j, java_object string);
/* Convert UTF-8 to a string; invalid bytes become U+FFFD. NULL after an exception. */
java_object java_string(java j, const char *text);
/* Make an array of strings. NULL after an exception. */
java_object java_strings(java j, char *const *texts, size_t n);
/* Throw an exception of this class, unless one is pending. */
void java_throw(java j, const char *class, const char *message);

#endif
