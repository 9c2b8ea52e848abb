/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between scheduler and hosts, with correct keys and wrong contents. A line is a message,
 * read as both ends would: as one of a session, as a report, as tickets. After reading it is
 * written and read again. "key TEXT" is the file of a key. Each line is also tried as a host name
 * and as an endpoint.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/wire/content.h"
#include "sched/wire/keys.h"
#include "sched/wire/session.h"
#include "tests/fuzz/support.h"

#define OURS "00000000000000000000000000000000"
#define THEIRS "11111111111111111111111111111111"

static bool is_value(double value)
{
	return isfinite(value) && value >= 0 && value <= 1e30;
}

static void check_tickets(const struct wire_task *tasks, size_t n)
{
	char *text = malloc(WIRE_BYTES);
	struct wire_task *again = NULL;
	struct error error = { "" };
	json_t *array;
	ssize_t length;
	size_t m = 0;

	MUST(text != NULL && n <= WIRE_TASKS);
	for (size_t i = 0; i < n; i++)
		MUST(tasks[i].job_number && tasks[i].task && tasks[i].start_time >= 0 && is_value(tasks[i].tickets) &&
		     tasks[i].session != 1 && tasks[i].session >= 0 && (tasks[i].group == 0 || tasks[i].group >= 100) &&
		     (!*tasks[i].cgroup || tasks[i].cgroup[0] == '/') && !strstr(tasks[i].cgroup, "/../"));
	length = wire_tickets_write(text, WIRE_BYTES, tasks, n);
	if (length > 0) {
		array = json_loadb(text, (size_t)length, JSON_REJECT_DUPLICATES, NULL);
		MUST(wire_tickets_unpack(array, &again, &m, &error) == 0 && m == n &&
		     memcmp(again, tasks, n * sizeof(*tasks)) == 0);
		json_decref(array);
	}
	free(again);
	free(text);
}

static void check_report(const struct wire_report *report)
{
	json_t *message = json_object();
	struct wire_report again;
	struct error error = { "" };

	MUST(report->nusage <= WIRE_TASKS && report->nload <= WIRE_LOADS);
	for (size_t i = 0; i < report->nusage; i++)
		MUST(report->usage[i].job_number && report->usage[i].task && is_value(report->usage[i].cpu) &&
		     is_value(report->usage[i].mem) && is_value(report->usage[i].io) &&
		     is_value(report->usage[i].vmem) && is_value(report->usage[i].maxvmem));
	MUST(message && wire_report_pack(message, report) == 0 && wire_report_unpack(message, &again, &error) == 0);
	MUST(again.nusage == report->nusage && again.nload == report->nload && strcmp(again.lever, report->lever) == 0);
	wire_report_free(&again);
	json_decref(message);
}

static bool message_take(struct session *session, json_t *message)
{
	struct session met = *session;
	struct wire_report report;
	struct wire_task *tasks;
	struct error error = { "" };
	bool taken = session_take(session, message) == SESSION_TAKEN;
	size_t n;

	taken |= session_meet(&met, message) == SESSION_TAKEN && json_object_get(message, "hello");
	if (wire_report_unpack(message, &report, &error) == 0) {
		taken &= report.nusage || report.nload;
		check_report(&report);
		wire_report_free(&report);
	}
	if (wire_tickets_unpack(json_object_get(message, "tickets"), &tasks, &n, &error) == 0) {
		taken |= n > 0;
		check_tickets(tasks, n);
		free(tasks);
	}
	MUST(session_stamp(session, message) == 0);
	return taken;
}

static bool key_take(const char *text, size_t length)
{
	struct error error = { "" };
	struct key key;
	char path[256];

	scratch_put("key.pub", text, length);
	scratch_path(path, "key.pub");
	return key_read(path, false, &key, &error) == 0 && strlen(key.text) == KEY_CHARS;
}

#ifdef BROKEN			/* tickets lose their fraction on the wire */
char *__real_digits_exact(char *p, double value);
char *__wrap_digits_exact(char *p, double value);

char *__wrap_digits_exact(char *p, double value)
{
	return __real_digits_exact(p, floor(value));
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct piece rest = { (const char *)data, size }, line;
	struct session session = { .own = OURS, .peer = THEIRS, .sent = 5 };

	for (; piece_line(&rest, &line); piece_free(&line)) {
		bool named = host_name_is_valid(line.text), ends = endpoint_is_valid(line.text);
		json_t *message = json_loadb(line.text, line.length, JSON_REJECT_DUPLICATES, NULL);

		MUST(!named ||
		     (strlen(line.text) <= HOST_NAME_CHARS && !strpbrk(line.text, "/ \t\"") && line.text[0] != '.'));
		if (piece_is(&line, "key"))
			fuzz_taken(key_take(line.text + 4 - (line.length == 3), line.length - 4 + (line.length == 3)));
		else
			fuzz_taken(message ? message_take(&session, message) : named || ends);
		json_decref(message);
	}
	return 0;
}
