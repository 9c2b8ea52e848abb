/* SPDX-License-Identifier: Apache-2.0 */
/* State of an accountant: its own log, and the output of condor_userprio -long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>

#include <cmocka.h>
#include <jansson.h>

#include "tests/conf/cell_dir.h"

static struct cell_dir d;

static const struct condor_conf *read_with(const char *config, const char *text)
{
	cell_dir_create(&d, NULL);
	if (config)
		cell_dir_write(&d, "condor_config", config);
	cell_dir_write(&d, "userprio", text);
	cell_dir_load(&d);
	return &d.cell.condor;
}

static const struct condor_conf *read_text(const char *text)
{
	return read_with(NULL, text);
}

static void done(void)
{
	cell_dir_destroy(&d);
}

static const struct condor_customer *customer(const char *name)
{
	for (size_t i = 0; i < d.cell.condor.ncustomers; i++)
		if (strcmp(d.cell.condor.customers[i].name, name) == 0)
			return &d.cell.condor.customers[i];
	return NULL;
}

static const char whole[] =
	"107 3 CreationTimestamp 1700000000\n"
	"101 Accountant. * *\n"
	"103 Accountant. LastUpdateTime 1700093660\n"
	"101 Customer.ann@pool * *\n"
	"103 Customer.ann@pool Priority 2.500000\n"
	"105 \n"
	"103 Customer.ann@pool PriorityFactor 1000.000000\n"
	"103 Customer.ann@pool ResourcesUsed 2\n"
	"103 Customer.ann@pool WeightedResourcesUsed 6.000000\n"
	"103 Customer.ann@pool UnchargedTime -5\n"
	"103 Customer.ann@pool WeightedUnchargedTime -15.500000\n"
	"103 Customer.ann@pool AccumulatedUsage 7200.000000\n"
	"103 Customer.ann@pool BeginUsageTime 1700000001\n"
	"103 Customer.ann@pool LastUsageTime 1700093660\n"
	"103 Customer.ann@pool Ceiling 7\n"
	"103 Customer.ann@pool CeilingLeaseExpiration 1700100000\n"
	"103 Customer.ann@pool CeilingPreLeaseValue -1\n"
	"103 Customer.ann@pool Tomorrow \"of a later version\"\n"
	"106 \n"
	"103 Customer.group_physics HierWeightedResourcesUsed 6.000000\n"
	"101 Customer.gone@pool * *\n"
	"103 Customer.gone@pool Priority 9\n"
	"102 Customer.gone@pool\n"
	"101 Resource.slot1@host@<192.0.2.1:9618?addrs=x> * *\n"
	"103 Resource.slot1@host@<192.0.2.1:9618?addrs=x> RemoteUser \"ann@pool\"\n"
	"103 Resource.slot1@host@<192.0.2.1:9618?addrs=x> SlotWeight 3.000000\n"
	"103 Resource.slot1@host@<192.0.2.1:9618?addrs=x> StartTime 1700093000\n";

static void test_a_log_is_read_to_its_last_record(void **state)
{
	const struct condor_conf *conf = read_text(whole);
	const struct condor_customer *ann = customer("ann@pool");

	(void)state;
	report_print(&d.report, stderr);
	assert_int_equal(d.report.faults + d.report.warnings, 0);
	assert_int_equal(conf->last_update, 1700093660);
	assert_int_equal(conf->ncustomers, 2);
	assert_non_null(ann);
	assert_true(ann->rup == 2.5 && ann->factor == 1000 && ann->used == 2 && ann->weight_used == 6);
	assert_true(ann->uncharged == -5 && ann->weight_uncharged == -15.5);
	assert_true(ann->accumulated == 7200 && ann->weight_accumulated == 7200);
	assert_int_equal(ann->begin, 1700000001);
	assert_int_equal(ann->ceiling, 7);
	assert_int_equal(ann->leases[1].until, 1700100000);
	assert_true(ann->leases[1].before == -1 && !ann->is_group);
	assert_true(customer("group_physics")->is_group && customer("group_physics")->tree_used == 6);
	assert_int_equal(customer("group_physics")->ceiling, -1);
	assert_int_equal(conf->nresources, 1);
	assert_string_equal(conf->resources[0].slot, "slot1@host");
	assert_string_equal(conf->resources[0].customer, "ann@pool");
	assert_true(conf->resources[0].weight == 3 && conf->resources[0].since == 1700093000);
	done();
}

static void test_a_truncated_log_reports_its_loss(void **state)
{
	char cut[sizeof(whole)];

	(void)state;
	for (size_t n = 1; n < sizeof(whole) - 1; n++) {
		memcpy(cut, whole, n);
		cut[n] = '\0';
		read_text(cut);
		/*
		 * After a complete line outside a transaction no data is lost except a slot that
		 * has no user yet.
		 */
		if (whole[n - 1] != '\n')
			assert_true(d.report.warnings > 0 || d.report.faults > 0);
		done();
	}
}

static void test_an_unfinished_transaction_does_not_count(void **state)
{
	read_text("101 Customer.ann@pool * *\n105 \n103 Customer.ann@pool Priority 5\n103 Customer.ann@pool Ceiling 5\n");
	(void)state;
	assert_int_equal(d.report.faults, 0);
	assert_true(cell_dir_found(&d, WARNING, "userprio", 2, "record 2, byte 26: a transaction begins and has no end: its 2 records"));
	assert_true(customer("ann@pool")->rup == 0);
	done();
}

static void test_a_bad_record_is_a_fault_and_later_records_are_read(void **state)
{
	read_text("101 Customer.ann@pool * *\n1o3 Customer.ann@pool Priority 5\n103 Customer.ann@pool Priority 6\n");
	(void)state;
	assert_true(cell_dir_found(&d, FAULT, "userprio", 2, "\"1o3 Customer.ann@pool Priority 5\" found"));
	assert_true(customer("ann@pool")->rup == 6);
	done();
}

static void test_a_slot_under_two_addresses_counts_once(void **state)
{
	const struct condor_conf *conf = read_text("103 Resource.s@h@<1.2.3.4:5> RemoteUser \"bob@p\"\n103 Resource.s@h@<1.2.3.4:5> StartTime 9\n"
						"103 Resource.s@h@<1.2.3.4:6> RemoteUser \"ann@p\"\n103 Resource.s@h@<1.2.3.4:6> StartTime 8\n");

	(void)state;
	assert_int_equal(d.report.warnings, 1);
	assert_int_equal(conf->nresources, 1);
	assert_string_equal(conf->resources[0].customer, "bob@p");
	done();
}

static void test_numbered_attributes_form_one_record(void **state)
{
	const struct condor_conf *conf = read_with("GROUP_NAMES = g\nGROUP_QUOTA_g = 1\nGROUP_PRIO_FACTOR_g = 4\n",
		"LastUpdate = 1700093660\nName1 = \"ann@pool\"\nName2 = \"g\"\nPriority2 = 10.0\nPriority1 = 2500.0\nPriorityFactor1 = 1000.0\n"
		"PriorityFactor2 = 0.0\nWeightedAccumulatedUsage1 = 4.68E+05\nAccumulatedUsage1 = 504000.000000\nIsAccountingGroup2 = true\n"
		"Ceiling1 = 7\nFloor1 = -1\nConcurrencyLimit_sw = 3\nBeginUsageTime1 = 1700086460\nSurplusPolicy2 = \"no\"\nNumSubmittors = 2\n");

	(void)state;
	assert_int_equal(d.report.faults + d.report.warnings, 0);
	assert_int_equal(conf->ncustomers, 2);
	assert_int_equal(conf->last_update, 1700093660);
	assert_true(customer("ann@pool")->rup == 2.5 && customer("ann@pool")->factor == 1000);
	assert_true(customer("ann@pool")->weight_accumulated == 468000);
	assert_int_equal(customer("ann@pool")->ceiling, 7);
	assert_int_equal(customer("ann@pool")->floor, 0);
	assert_int_equal(customer("ann@pool")->begin, 1700086460);
	assert_true(customer("g")->is_group && customer("g")->rup == 2.5 && customer("g")->factor == 0);
	done();
}

static void test_records_one_below_the_other_end_with_a_blank_line(void **state)
{
	const struct condor_conf *conf = read_text("LastUpdate = 5\n\nAccountingGroup = \"<none>\"\nName = \"ann@pool\"\nPriority = "
		      "500.0\nPriorityFactor = 1000.0\n"
						"Ceiling = undefined\n\n\nAccountingGroup = \"<none>\"\nPriority = 20.0\nPriorityFactor "
						"= 10.0\nName = \"b\\\"ob@pool\"\n");

	(void)state;
	assert_int_equal(d.report.faults + d.report.warnings, 0);
	assert_int_equal(conf->ncustomers, 2);
	assert_true(customer("ann@pool")->rup == 0.5);
	assert_int_equal(customer("ann@pool")->ceiling, -1);
	assert_true(customer("b\"ob@pool")->rup == 2);
	done();
}

/* Print records like condor_userprio -long: numbered, or one record after the other. */
static void print_long(FILE *file, json_t *records, bool numbered)
{
	const char *name;
	json_t *record, *value;
	size_t i;

	json_array_foreach(records, i, record) {
		json_object_foreach(record, name, value) {
			char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));

			fprintf(file, numbered ? "%s%zu = " : "%s = ", name, i + 1);
			fprintf(file, "%s\n", text);
			free(text);
		}
		fputs(numbered ? "" : "\n", file);
	}
}

static void check_recorded(json_t *of, bool numbered)
{
	json_t *records = json_object_get(of, "records"), *record;
	const struct condor_customer *condor_customer;
	char *text = NULL;
	size_t bytes, i;
	FILE *file = open_memstream(&text, &bytes);

	print_long(file, records, numbered);
	fclose(file);
	read_with("ACCOUNTANT_LOCAL_DOMAIN = pool\nUID_DOMAIN = pool\nGROUP_NAMES = group_physics, group_physics.hep, group_physics.lep, "
		  "group_chemistry, group_math\nGROUP_ACCEPT_SURPLUS = True\n", text);
	free(text);
	assert_int_equal(d.report.faults, 0);
	assert_int_equal(d.cell.condor.ncustomers, json_array_size(records));
	json_array_foreach(records, i, record) {
		double eup = json_number_value(json_object_get(record, "Priority"));

		condor_customer = customer(json_string_value(json_object_get(record, "Name")));
		assert_non_null(condor_customer);
		assert_true(fabs(condor_customer->rup * (condor_customer->factor > 0 ? condor_customer->factor : 1e7) / eup - 1) < 1e-15);
		assert_true(condor_customer->is_group == json_is_true(json_object_get(record, "IsAccountingGroup")));
		assert_true(condor_customer->weight_accumulated == json_number_value(json_object_get(record, "WeightedAccumulatedUsage")));
		assert_true(condor_customer->used == json_integer_value(json_object_get(record, "ResourcesUsed")));
	}
	done();
}

static void test_a_recorded_pool_is_the_same_in_both_forms(void **state)
{
	json_t *of = json_load_file("tests/reference/condor/p36-userprio-text.json", 0, NULL);

	(void)state;
	assert_non_null(of);
	check_recorded(of, true);
	check_recorded(of, false);
	json_decref(of);
}

static void test_a_file_of_neither_format_is_reported(void **state)
{
	(void)state;
	read_text("Priority1 = 7\nName2 = ann\nPriority2 = nan\nnonsense\nName3 = \"a b\"\nPriorityFactor2 = -1\nBeginUsageTime2 = 1.5\n");
	assert_true(cell_dir_found(&d, FAULT, "userprio", 1, "without a Name"));
	assert_true(cell_dir_found(&d, FAULT, "userprio", 2, "in \"quotes\""));
	assert_true(cell_dir_found(&d, FAULT, "userprio", 3, "a number from 0 to 1e+100"));
	assert_true(cell_dir_found(&d, FAULT, "userprio", 4, "nonsense"));
	assert_true(cell_dir_found(&d, FAULT, "userprio", 5, "without blanks"));
	assert_true(cell_dir_found(&d, FAULT, "userprio", 6, "-1"));
	assert_true(cell_dir_found(&d, FAULT, "userprio", 7, "a whole number from 0 to 9007199254740992"));
	done();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_log_is_read_to_its_last_record),
		cmocka_unit_test(test_a_truncated_log_reports_its_loss),
		cmocka_unit_test(test_an_unfinished_transaction_does_not_count),
		cmocka_unit_test(test_a_bad_record_is_a_fault_and_later_records_are_read),
		cmocka_unit_test(test_a_slot_under_two_addresses_counts_once),
		cmocka_unit_test(test_numbered_attributes_form_one_record),
		cmocka_unit_test(test_records_one_below_the_other_end_with_a_blank_line),
		cmocka_unit_test(test_a_recorded_pool_is_the_same_in_both_forms),
		cmocka_unit_test(test_a_file_of_neither_format_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
