/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Native methods of com.sun.grid.drmaa.SessionImpl, the Java classes of Grid Engine. They load a
 * library libdrmaa and expect these functions in it. A template is a number in Java.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sched/drmaa/inside.h"
#include "sched/drmaa/java.h"

/* Declare and begin a function that the Java machine finds by its name. */
#define METHOD(type, name, parameters) \
	JAVA_API type Java_com_sun_grid_drmaa_SessionImpl_native##name parameters; \
	JAVA_API type Java_com_sun_grid_drmaa_SessionImpl_native##name parameters
#define TEXT_BYTES 1024

/* Errors */

static const char *const exceptions[DRMAA_NO_ERRNO] = {
	[DRMAA_ERRNO_INTERNAL_ERROR] = "Internal", [DRMAA_ERRNO_DRM_COMMUNICATION_FAILURE] = "DrmCommunication",
	[DRMAA_ERRNO_AUTH_FAILURE] = "Authorization", [DRMAA_ERRNO_NO_ACTIVE_SESSION] = "NoActiveSession",
	[DRMAA_ERRNO_INVALID_CONTACT_STRING] = "InvalidContactString",
	[DRMAA_ERRNO_DEFAULT_CONTACT_STRING_ERROR] = "DefaultContactString",
	[DRMAA_ERRNO_NO_DEFAULT_CONTACT_STRING_SELECTED] = "NoDefaultContactString",
	[DRMAA_ERRNO_DRMS_INIT_FAILED] = "DrmsInit", [DRMAA_ERRNO_ALREADY_ACTIVE_SESSION] = "AlreadyActiveSession",
	[DRMAA_ERRNO_DRMS_EXIT_ERROR] = "DrmsExit", [DRMAA_ERRNO_INVALID_ATTRIBUTE_FORMAT] = "InvalidAttributeFormat",
	[DRMAA_ERRNO_INVALID_ATTRIBUTE_VALUE] = "InvalidAttributeValue",
	[DRMAA_ERRNO_CONFLICTING_ATTRIBUTE_VALUES] = "ConflictingAttributeValues", [DRMAA_ERRNO_TRY_LATER] = "TryLater",
	[DRMAA_ERRNO_DENIED_BY_DRM] = "DeniedByDrm", [DRMAA_ERRNO_INVALID_JOB] = "InvalidJob",
	[DRMAA_ERRNO_RESUME_INCONSISTENT_STATE] = "ResumeInconsistentState",
	[DRMAA_ERRNO_SUSPEND_INCONSISTENT_STATE] = "SuspendInconsistentState",
	[DRMAA_ERRNO_HOLD_INCONSISTENT_STATE] = "HoldInconsistentState",
	[DRMAA_ERRNO_RELEASE_INCONSISTENT_STATE] = "ReleaseInconsistentState",
	[DRMAA_ERRNO_EXIT_TIMEOUT] = "ExitTimeout",
};

/* Throw the exception for this code. False: the code is success. */
static bool failed(java j, int code, const char *text)
{
	char class[128];

	if (code == DRMAA_ERRNO_SUCCESS)
		return false;
	if (code > 0 && code < DRMAA_NO_ERRNO && exceptions[code])
		snprintf(class, sizeof(class), "org/ggf/drmaa/%sException", exceptions[code]);
	else
		snprintf(class, sizeof(class), "java/lang/%s",
			 code == DRMAA_ERRNO_NO_MEMORY ? "OutOfMemoryError" : "IllegalArgumentException");
	java_throw(j, class, text);
	return true;
}

/* Templates */

static struct {
	pthread_mutex_t lock;
	drmaa_job_template_t **items;	/* NULL: free */
	size_t n;
} templates = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Store a template and return its number; -1: memory is exhausted. */
static int32_t template_keep(drmaa_job_template_t *jt)
{
	drmaa_job_template_t **more;
	size_t k = 0;

	pthread_mutex_lock(&templates.lock);
	while (k < templates.n && templates.items[k])
		k++;
	more = k < templates.n ? templates.items
	       : k < INT32_MAX ? reallocarray(templates.items, k + 1, sizeof(*more))
			       : NULL;
	if (more) {
		templates.items = more;
		templates.items[k] = jt;
		templates.n += k == templates.n;
	}
	pthread_mutex_unlock(&templates.lock);
	return more ? (int32_t)k : -1;
}

/* Return a template, NULL after an exception. With `take` its number becomes free. */
static drmaa_job_template_t *template_of(java j, int32_t number, bool take)
{
	drmaa_job_template_t *jt = NULL;

	pthread_mutex_lock(&templates.lock);
	if (number >= 0 && (size_t)number < templates.n) {
		jt = templates.items[number];
		templates.items[number] = take ? NULL : jt;
	}
	pthread_mutex_unlock(&templates.lock);
	if (!jt)
		java_throw(j, "org/ggf/drmaa/InvalidJobTemplateException", "there is no such job template");
	return jt;
}

METHOD(int32_t, AllocateJobTemplate, (java j, java_object self))
{
	drmaa_job_template_t *jt = NULL;
	char text[TEXT_BYTES] = "";
	int32_t number;

	(void)self;
	if (failed(j, drmaa_allocate_job_template(&jt, text, sizeof(text)), text))
		return -1;
	number = template_keep(jt);
	if (number < 0) {
		drmaa_delete_job_template(jt, NULL, 0);
		failed(j, DRMAA_ERRNO_NO_MEMORY, "out of memory for a template");
	}
	return number;
}

METHOD(void, DeleteJobTemplate, (java j, java_object self, int32_t number))
{
	drmaa_job_template_t *jt = template_of(j, number, true);
	char text[TEXT_BYTES] = "";

	(void)self;
	if (jt)
		failed(j, drmaa_delete_job_template(jt, text, sizeof(text)), text);
}

METHOD(void, SetAttributeValue, (java j, java_object self, int32_t number, java_object name, java_object value))
{
	drmaa_job_template_t *jt = template_of(j, number, false);
	char *name_text = jt ? java_text(j, name) : NULL, *value_text = name_text ? java_text(j, value) : NULL,
	     text[TEXT_BYTES] = "";

	(void)self;
	if (value_text)
		failed(j, drmaa_set_attribute(jt, name_text, value_text, text, sizeof(text)), text);
	free(name_text);
	free(value_text);
}

/* Convert an array of strings. False after an exception. */
static bool words_take(java j, java_object array, struct word_list *words)
{
	int32_t n = array ? (*j)->array_length(j, array) : 0;
	bool good = array != NULL;

	if (!array)
		java_throw(j, "java/lang/NullPointerException", "an array is expected, not null");
	for (int32_t k = 0; good && k < n; k++) {
		java_object string = (*j)->array_get(j, array, k);
		char *text = java_text(j, string);

		good = text && word_add(words, text) == 0;
		if (text && !good)
			failed(j, DRMAA_ERRNO_NO_MEMORY, "out of memory for an array");
		free(text);
		(*j)->delete_local(j, string);
	}
	return good;
}

/* Return the items of a list as an array that ends with NULL, also for an empty list. */
static const char **words_of(const struct word_list *words)
{
	static const char *none[] = { NULL };

	return words->n ? (const char **)words->items : none;
}

METHOD(void, SetAttributeValues, (java j, java_object self, int32_t number, java_object name, java_object values))
{
	drmaa_job_template_t *jt = template_of(j, number, false);
	struct word_list words = { .items = NULL };
	char *name_text = jt ? java_text(j, name) : NULL, text[TEXT_BYTES] = "";

	(void)self;
	if (name_text && words_take(j, values, &words))
		failed(j, drmaa_set_vector_attribute(jt, name_text, words_of(&words), text, sizeof(text)), text);
	words_clear(&words);
	free(name_text);
}

METHOD(java_object, GetAttributeNames, (java j, java_object self, int32_t number))
{
	char *names[ATTRIBUTES + VECTORS];

	(void)self;
	if (!template_of(j, number, false))
		return NULL;
	memcpy(names, attribute_names, sizeof(attribute_names));
	memcpy(names + ATTRIBUTES, vector_names, sizeof(vector_names));
	return java_strings(j, names, ATTRIBUTES + VECTORS);
}

/* Return the value of an attribute of either kind as an array; null: it is not set. */
METHOD(java_object, GetAttribute, (java j, java_object self, int32_t number, java_object name))
{
	drmaa_job_template_t *jt = template_of(j, number, false);
	char *text = jt ? java_text(j, name) : NULL;
	java_object found = NULL;
	bool known = false;

	(void)self;
	for (size_t k = 0; text && k < ATTRIBUTES; k++)
		if (!strcmp(text, attribute_names[k])) {
			known = true;
			found = jt->values[k] ? java_strings(j, &jt->values[k], 1) : NULL;
		}
	for (size_t k = 0; text && k < VECTORS; k++)
		if (!strcmp(text, vector_names[k])) {
			known = true;
			found = jt->vectors[k].n ? java_strings(j, jt->vectors[k].items, jt->vectors[k].n) : NULL;
		}
	if (text && !known)
		failed(j, DRMAA_ERRNO_INVALID_ARGUMENT, "there is no such attribute");
	free(text);
	return found;
}

/* Session */

METHOD(void, Init, (java j, java_object self, java_object contact))
{
	char *text = contact ? java_text(j, contact) : NULL, said[TEXT_BYTES] = "";

	(void)self;
	if (text || !contact)
		failed(j, drmaa_init(text, said, sizeof(said)), said);
	free(text);
}

METHOD(void, Exit, (java j, java_object self))
{
	char text[TEXT_BYTES] = "";

	(void)self;
	failed(j, drmaa_exit(text, sizeof(text)), text);
}

METHOD(java_object, GetContact, (java j, java_object self))
{
	char text[TEXT_BYTES] = "", said[TEXT_BYTES] = "";

	(void)self;
	return failed(j, drmaa_get_contact(text, sizeof(text), said, sizeof(said)), said) ? NULL : java_string(j, text);
}

METHOD(java_object, GetDRMSInfo, (java j, java_object self))
{
	char text[TEXT_BYTES] = "", said[TEXT_BYTES] = "";

	(void)self;
	return failed(j, drmaa_get_DRM_system(text, sizeof(text), said, sizeof(said)), said) ? NULL
											     : java_string(j, text);
}

/* Jobs */

METHOD(java_object, RunJob, (java j, java_object self, int32_t number))
{
	drmaa_job_template_t *jt = template_of(j, number, false);
	char id[TEXT_BYTES] = "", text[TEXT_BYTES] = "";

	(void)self;
	return !jt || failed(j, drmaa_run_job(id, sizeof(id), jt, text, sizeof(text)), text) ? NULL
											     : java_string(j, id);
}

METHOD(java_object, RunBulkJobs, (java j, java_object self, int32_t number, int32_t start, int32_t end, int32_t step))
{
	drmaa_job_template_t *jt = template_of(j, number, false);
	drmaa_job_ids_t *ids = NULL;
	char text[TEXT_BYTES] = "";
	java_object array;

	(void)self;
	if (!jt || failed(j, drmaa_run_bulk_jobs(&ids, jt, start, end, step, text, sizeof(text)), text))
		return NULL;
	array = java_strings(j, ids->list.items, ids->list.n);
	drmaa_release_job_ids(ids);
	return array;
}

METHOD(void, Control, (java j, java_object self, java_object job, int32_t action))
{
	char *id = java_text(j, job), text[TEXT_BYTES] = "";

	(void)self;
	if (id)
		failed(j, drmaa_control(id, action, text, sizeof(text)), text);
	free(id);
}

METHOD(int32_t, GetJobProgramStatus, (java j, java_object self, java_object job))
{
	char *id = java_text(j, job), text[TEXT_BYTES] = "";
	int state = DRMAA_PS_UNDETERMINED;

	(void)self;
	if (id)
		failed(j, drmaa_job_ps(id, &state, text, sizeof(text)), text);
	free(id);
	return state;
}

METHOD(void, Synchronize, (java j, java_object self, java_object jobs, int64_t timeout, uint8_t dispose))
{
	struct word_list words = { .items = NULL };
	char text[TEXT_BYTES] = "";

	(void)self;
	if (words_take(j, jobs, &words))
		failed(j, drmaa_synchronize(words_of(&words), timeout, dispose, text, sizeof(text)), text);
	words_clear(&words);
}

/* Make an object JobInfoImpl(String id, int stat, String[] usage, String signal). */
static java_object end_make(java j, const char *id, int stat, const drmaa_attr_values_t *usage)
{
	java_object class = (*j)->find_class(j, "com/sun/grid/drmaa/JobInfoImpl");
	java_method constructor =
		class ? (*j)->get_method(j, class, "<init>",
					 "(Ljava/lang/String;I[Ljava/lang/String;Ljava/lang/String;)V")
		      : NULL;
	union java_value values[4] = { { .whole = 0 } };
	char signal[DRMAA_SIGNAL_BUFFER] = "";

	if (!constructor)
		return NULL;
	drmaa_wtermsig(signal, sizeof(signal), stat, NULL, 0);
	values[0].object = java_string(j, id);
	values[1].integer = stat;
	values[2].object =
		values[0].object ? java_strings(j, usage ? usage->list.items : NULL, usage ? usage->list.n : 0) : NULL;
	values[3].object = values[2].object ? java_string(j, signal) : NULL;
	return values[3].object ? (*j)->new_object(j, class, constructor, values) : NULL;
}

/* Wait for a job. Java has no exception for a job without usage, so its usage is empty. */
METHOD(java_object, Wait, (java j, java_object self, java_object job, int64_t timeout))
{
	char *name = java_text(j, job), id[TEXT_BYTES] = "", text[TEXT_BYTES] = "";
	drmaa_attr_values_t *usage = NULL;
	java_object end = NULL;
	int stat = 0, code;

	(void)self;
	if (!name)
		return NULL;
	code = drmaa_wait(name, id, sizeof(id), &stat, timeout, &usage, text, sizeof(text));
	free(name);
	if (!failed(j, code == DRMAA_ERRNO_NO_RUSAGE ? DRMAA_ERRNO_SUCCESS : code, text))
		end = end_make(j, id, stat, usage);
	drmaa_release_attr_values(usage);
	return end;
}
