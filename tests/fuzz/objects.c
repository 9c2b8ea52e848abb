/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A packed list of objects of a qmaster, as texts that qconf would print. For any names and values,
 * a text has only the lines of its kind, in printable characters, or it is marked as odd.
 */
#include <stdlib.h>
#include <string.h>

#include "sched/qmaster/objects/text.h"
#include "tests/fuzz/support.h"

static void host_write(struct page *page, const struct gdi_element *host)
{
	text_host(page, host, true);
}

static const struct kind {
	uint32_t name;			/* a field that only its elements have */
	void (*text)(struct page *page, const struct gdi_element *element);
	/* words with which lines may begin, besides blanks of continued lines */
	const char *begins;
} kinds[] = {
	{ CQ_name, text_queue, "qname hostlist seq_no load_thresholds suspend_thresholds nsuspend suspend_interval priority min_cpu_interval processors "
	  "qtype ckpt_list pe_list rerun slots tmpdir shell prolog epilog shell_start_mode starter_method suspend_method resume_method terminate_method "
	  "notify owner_list user_lists xuser_lists subordinate_list complex_values projects xprojects calendar initial_state s_rt h_rt s_cpu h_cpu "
	  "s_fsize h_fsize s_data h_data s_stack h_stack s_core h_core s_rss h_rss s_vmem h_vmem " },
	{ PE_name, text_pe, "pe_name slots user_lists xuser_lists start_proc_args stop_proc_args allocation_rule control_slaves job_is_first_task "
	  "urgency_slots accounting_summary qsort_args " },
	{ CK_name, text_checkpoint, "ckpt_name interface ckpt_command migr_command restart_command clean_command ckpt_dir signal when " },
	{ CAL_name, text_calendar, "calendar_name year week " },
	{ HGRP_name, text_hostgroup, "group_name hostlist " },
	{ US_name, text_userset, "name type fshare oticket entries " },
	{ UU_name, text_user, "name oticket fshare delete_time default_project " },
	{ PR_name, text_project, "name oticket fshare acl xacl " },
	{ EH_name, host_write, "hostname load_scaling complex_values load_values processors user_lists xuser_lists projects xprojects usage_scaling "
	  "report_variables " },
	{ RQS_name, text_quota, "{ } " },
	{ STN_name, text_tree, NULL },
	{ SC_algorithm, text_sched_conf, NULL },
	{ CONF_name, text_configuration, NULL },
};

/* Return whether a line begins with one of these words. */
static bool begins_with(const char *line, const char *words)
{
	size_t n = strcspn(line, " \n");
	const char *found = words;

	while (n > 0 && (found = memmem(found, strlen(found), line, n)) != NULL) {
		if ((found == words || found[-1] == ' ') && found[n] == ' ')
			return true;
		found++;
	}
	return false;
}

static void text_look(const struct page *page, const char *begins)
{
	MUST(page->rc == 0);
	if (page->odd) {			/* unusable, so that it is not read */
		fuzz_taken(false);
		return;
	}
	fuzz_taken(true);
	MUST(page->bytes && strlen(page->bytes) == page->n && page->bytes[page->n - 1] == '\n');
	for (const char *line = page->bytes; *line;) {
		const char *end = strchr(line, '\n');
		bool continued = line > page->bytes + 1 && line[-2] == '\\';

		MUST(!begins || (*line == ' ' && (continued || begins[0] == '{')) || begins_with(line, begins));
		for (const char *at = line; at < end; at++)
			MUST((unsigned char)*at >= ' ' && *at != 0x7f);
		line = end + 1;
	}
}

static void list_write(struct gdi_list list)
{
	struct gdi_element element;
	struct page page = { 0 };

	if (gdi_first(&list, &element) && gdi_has(&element, CE_name)) {
		text_complexes(&page, &list);
		text_look(&page, NULL);
		page_free(&page);
	}
	while (gdi_next(&list, &element))
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			if (gdi_has(&element, kinds[i].name)) {
				kinds[i].text(&page, &element);
				text_look(&page, kinds[i].begins);
				page_free(&page);
			}
}

#ifdef BROKEN			/* anything is printable */
size_t __wrap_utf8_length(const char *s);

size_t __wrap_utf8_length(const char *s)
{
	return *s != '\0';
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *bytes = malloc(size + !size);	/* exact size; the check writes into it */
	struct gdi_buffer buffer = { bytes, bytes + size };
	struct error error = { "" };
	struct gdi_list list;

	MUST(bytes != NULL);
	if (size)
		memcpy(bytes, data, size);
	if (gdi_take_list(&buffer, &list, &error) == 0)
		list_write(list);
	else
		fuzz_taken(false);
	free(bytes);
	return 0;
}
