/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurm.conf(5): nodes, partitions, and their totals. The totals are those that a real Slurm
 * 22.05.8 shows for the same lines.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/conf/cell_dir.h"

static struct cell_dir dir;

static int setup(void **state)
{
	(void)state;
	cell_dir_create(&dir, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cell_dir_destroy(&dir);
	return 0;
}

static const struct slurm_conf *read_any(const char *text)
{
	char file[4000];

	snprintf(file, sizeof(file), "PriorityWeightAge=1\n%s", text);
	cell_dir_write(&dir, "slurm.conf", file);
	return &cell_dir_load(&dir)->slurm;
}

static const struct slurm_conf *read_clean(const char *text)
{
	read_any(text);
	cell_dir_check_clean(&dir);
	return &dir.cell.slurm;
}

static const char recorded[] =
	"Licenses=matlab:10,foo*5,bar\nAccountingStorageTRES=gres/gpu,license/matlab,gres/gpu:tesla\n"
	"NodeName=DEFAULT RealMemory=1000\n"
	"NodeName=n[08-11] NodeAddr=127.0.0.1 Port=9 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 Gres=gpu:tesla:2(S:0,1),gpu:a:1\n"
	"NodeName=m1[5-12] CPUs=8 Gres=gpu:2\n"
	"NodeName=r[0-1]n[1-2] Boards=2 SocketsPerBoard=2 CoresPerSocket=3\n"
	"NodeSet=ns1 Nodes=n[08-09]\n"
	"PartitionName=DEFAULT PriorityTier=3\n"
	"PartitionName=a Nodes=ALL Default=YES PriorityJobFactor=65533 TRESBillingWeights=CPU=1.5,Mem=0.25G,gres/gpu=2\n"
	"PartitionName=b Nodes=ns1,m15 Priority=7 PriorityTier=9 TRESBillingWeights=CPU=1.5,Mem=1M\n"
	"PartitionName=c Nodes=n[08-10],n09 PriorityTier=9 Priority=7 MaxTime=90:01 TRESBillingWeights=Mem=1024K\n"
	"PartitionName=d Nodes=n11 TRESBillingWeights=Mem=1\n"
	"PartitionName=e Nodes=r0n[1-2],r1n2 QOS=high\n";

static void check_total(const char *partition, const char *tres, double total)
{
	const struct slurm_conf *conf = &dir.cell.slurm;

	assert_true(slurm_partition(conf, partition)->total[slurm_tres(conf, tres)] == total);
}

static void test_partitions_have_the_totals_that_slurm_reports(void **state)
{
	const struct slurm_conf *conf = read_clean(recorded);

	(void)state;
	assert_int_equal(conf->nodes, 16);
	assert_int_equal(conf->cpus, 176);
	check_total("a", "cpu", 176), check_total("a", "mem", 16000), check_total("a", "node", 16), check_total("a", "billing", 323);
	check_total("a", "gres/gpu", 28), check_total("a", "gres/gpu:tesla", 8), check_total("a", "license/matlab", 10);
	check_total("b", "cpu", 40), check_total("b", "mem", 3000), check_total("b", "billing", 3060), check_total("b", "gres/gpu", 8);
	check_total("c", "cpu", 48), check_total("c", "node", 3), check_total("c", "billing", 3072000), check_total("c", "gres/gpu:tesla", 6);
	check_total("d", "cpu", 16), check_total("d", "billing", 1000), check_total("d", "gres/gpu", 3);
	check_total("e", "cpu", 36), check_total("e", "billing", 36), check_total("e", "gres/gpu", 0);
}

static void test_partitions_keep_their_order_and_their_parameters(void **state)
{
	const struct slurm_conf *conf = read_clean(recorded);

	(void)state;
	assert_int_equal(conf->npartitions, 5);
	assert_string_equal(conf->partitions[4].name, "e");
	assert_string_equal(conf->partitions[4].qos, "high");
	assert_int_equal(conf->default_partition, 0);
	assert_int_equal(conf->partitions[0].job_factor, 65533);
	assert_int_equal(conf->partitions[0].tier, 3);
	assert_true(conf->partitions[0].max_time == SLURM_INFINITE && conf->partitions[0].has_billing && !conf->partitions[4].has_billing);
	assert_int_equal(conf->partitions[2].max_time, 91);
	assert_int_equal(conf->partitions[2].nodes, 3);
	assert_null(slurm_partition(conf, "DEFAULT"));
	assert_null(slurm_partition(conf, ""));
}

static void test_priority_sets_both_values_and_overrides_single_settings(void **state)
{
	const struct slurm_conf *conf = read_clean(recorded);
	const struct slurm_partition *partition = slurm_partition(conf, "b"), *c = slurm_partition(conf, "c");

	(void)state;
	assert_true(partition->job_factor == 7 && partition->tier == 7);
	assert_true(c->job_factor == 7 && c->tier == 7);
}

static void test_billing_uses_the_maximum_with_max_tres(void **state)
{
	static const char weighed[] = "AccountingStorageTRES=gres/gpu\nNodeName=n[1-2] CPUs=10 RealMemory=2048 Gres=gpu:3\n"
				      "PartitionName=p Nodes=ALL TRESBillingWeights=CPU=1,Mem=3G,GRES/gpu=4,Node=0.5\n";
	char text[600];

	(void)state;
	read_clean(weighed);
	check_total("p", "billing", 20 + 12 + 24 + 1);
	snprintf(text, sizeof(text), "PriorityFlags=MAX_TRES\n%s", weighed);
	read_clean(text);
	check_total("p", "billing", 24);
	snprintf(text, sizeof(text), "PriorityFlags=MAX_TRES_GRES\n%s", weighed);
	read_clean(text);
	check_total("p", "billing", 20 + 24);
}

/* Return the number of nodes of a partition that lists `list`, with these nodes in the cluster. */
static uint32_t count(const char *nodes, const char *list)
{
	char text[600];

	snprintf(text, sizeof(text), "NodeName=%s\nPartitionName=p Nodes=%s\n", nodes, list);
	return read_clean(text)->partitions[0].nodes;
}

static void test_lists_of_nodes_are_equal_in_any_notation(void **state)
{
	(void)state;
	assert_int_equal(count("n[1-16]", "n[1-16]"), 16);
	assert_int_equal(count("n[1-16]", "n1,n2,n1[0-6],n3,n[4-5,6,7-8],n9"), 16);
	assert_int_equal(count("n[1-16,20],login", "login,n20,n16"), 3);
	assert_int_equal(count("n[08-112]", "n08,n[09-100],n10[1-3]"), 96);
	assert_int_equal(count("r[0-3]n[1-8]", "r[1-2]n[1-8],r3n[2,4]"), 18);
	assert_int_equal(count("a[1-2]b[1-2]c[1-2]", "a1b1c1,a2b1c[1-2],a[1-2]b2c[1]"), 5);
	assert_int_equal(count("n[1-4]", "n[1-3],n[2-4],n2"), 4);
	assert_int_equal(count("n[1-1000000]", "n[2-999999]"), 999998);
	assert_int_equal(count("x-1-ib,x-2-ib", "x-2-ib"), 1);
	assert_int_equal(count("12,13", "1[2-3]"), 2);
}

static void test_leading_zeros_make_other_names(void **state)
{
	(void)state;
	read_any("NodeName=n[1-12]\nPartitionName=p Nodes=n[01-12]\n");
	assert_int_equal(dir.cell.slurm.partitions[0].nodes, 3);
	assert_true(cell_dir_found(&dir, FAULT, "slurm.conf", 3, "nodes that no NodeName line has"));
}

static void test_node_sets_select_nodes_or_features(void **state)
{
	const struct slurm_conf *conf = read_clean("NodeName=a[1-4] Feature=big,fast\nNodeName=b[1-8] Features=fast\nNodeName=c CPUs=3\n"
						"NodeSet=quick Feature=fast\nNodeSet=one2 Nodes=a[1-2]\nNodeSet=mix Nodes=c Feature=big\n"
						"PartitionName=p Nodes=quick\nPartitionName=q Nodes=one2,c\nPartitionName=r Nodes=mix,one2,a4\n");

	(void)state;
	assert_int_equal(conf->partitions[0].nodes, 12);
	assert_int_equal(conf->partitions[1].nodes, 3);
	assert_int_equal(conf->partitions[2].nodes, 5);
	assert_true(conf->partitions[1].total[TRES_CPU] == 5);
}

static void test_missing_cpu_counts_follow_from_the_topology(void **state)
{
	const struct slurm_conf *conf = read_clean("NodeName=DEFAULT CPUs=4\nNodeName=a\nNodeName=b Sockets=2 CoresPerSocket=8\n"
						"NodeName=c Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 CPUs=16\nNodeName=d Procs=6\n"
						"PartitionName=a Nodes=a\nPartitionName=b Nodes=b\nPartitionName=c Nodes=c\nPartitionName=d Nodes=d\n");

	(void)state;
	assert_true(conf->partitions[0].total[TRES_CPU] == 4);
	assert_true(conf->partitions[1].total[TRES_CPU] == 16);
	assert_true(conf->partitions[2].total[TRES_CPU] == 16);
	assert_true(conf->partitions[3].total[TRES_CPU] == 6);
}

static void test_weights_of_tres_count_per_unit(void **state)
{
	const struct slurm_conf *conf = read_clean("NodeName=n\nPartitionName=p Nodes=n\nAccountingStorageTRES=GRES/gpu,License/ansys\n"
						"PriorityWeightTRES=CPU=1000,Mem=2048G,GRES/GPU=1.5,license/ansys=10K,node=-3\n");

	(void)state;
	assert_int_equal(conf->ntres, TRES_STANDARD + 2);
	assert_string_equal(conf->tres[TRES_STANDARD], "gres/gpu");
	assert_true(conf->weight_tres[TRES_CPU] == 1000);
	assert_true(conf->weight_tres[TRES_MEM] == 2);
	assert_true(conf->weight_tres[TRES_NODE] == -3);
	assert_true(conf->weight_tres[TRES_STANDARD] == 1.5);
	assert_true(conf->weight_tres[TRES_STANDARD + 1] == 10.0 / 1024);
	assert_string_equal(conf->weight_tres_typed, "CPU=1000,Mem=2048G,GRES/GPU=1.5,license/ansys=10K,node=-3");
}

static void test_a_weight_of_an_untracked_resource_counts_with_a_warning(void **state)
{
	const struct slurm_conf *conf = read_any("NodeName=n Gres=gpu:4\nPartitionName=p Nodes=n\nPriorityWeightTRES=gres/gpu=3\n");

	(void)state;
	assert_int_equal(dir.report.faults, 0);
	assert_true(cell_dir_found(&dir, WARNING, "slurm.conf", 4, "is not in AccountingStorageTRES"));
	assert_true(conf->weight_tres[TRES_STANDARD] == 3 && conf->partitions[0].total[TRES_STANDARD] == 4);
}

static void test_lists_of_tres_are_counted_in_their_units(void **state)
{
	const struct slurm_conf *conf = read_clean("NodeName=n\nPartitionName=p Nodes=n\nAccountingStorageTRES=gres/gpu\n");
	char text[2000] = "";
	double counts[TRES_MOST];

	(void)state;
	assert_int_equal(slurm_tres_parse(conf, "cpu=16,mem=32000M,node=2,billing=16,gres/gpu=2,gres/other=5", counts), 0);
	assert_true(counts[TRES_CPU] == 16 && counts[TRES_MEM] == 32000 && counts[TRES_NODE] == 2 && counts[TRES_BILLING] == 16);
	assert_true(counts[TRES_STANDARD] == 2);
	assert_int_equal(slurm_tres_parse(conf, "mem=1.5G", counts), 0);
	assert_true(counts[TRES_MEM] == 1536 && counts[TRES_CPU] == 0);
	assert_int_equal(slurm_tres_parse(conf, "mem=512K,cpu=2K", counts), 0);
	assert_true(counts[TRES_MEM] == 0.5 && counts[TRES_CPU] == 2048);
	assert_int_equal(slurm_tres_parse(conf, "mem=2P", counts), 0);
	assert_true(counts[TRES_MEM] == 2147483648.0);
	assert_int_equal(slurm_tres_parse(conf, "", counts), 0);
	assert_int_equal(slurm_tres_parse(conf, "cpu", counts), -EINVAL);
	assert_int_equal(slurm_tres_parse(conf, "cpu=", counts), -EINVAL);
	assert_int_equal(slurm_tres_parse(conf, "cpu=-1", counts), -EINVAL);
	assert_int_equal(slurm_tres_parse(conf, "cpu=nan", counts), -EINVAL);
	assert_int_equal(slurm_tres_parse(conf, "cpu=1e999", counts), -EINVAL);
	assert_int_equal(slurm_tres_parse(conf, "cpu=3x", counts), -EINVAL);
	assert_int_equal(slurm_tres_parse(conf, "=3", counts), -EINVAL);
	assert_int_equal(slurm_tres_parse(conf, ",,cpu=3,,mem=5,", counts), 0);
	assert_true(counts[TRES_CPU] == 3 && counts[TRES_MEM] == 5);
	memset(text, 'x', sizeof(text) - 1);
	memcpy(text + sizeof(text) - 3, "=1", 3);
	assert_int_equal(slurm_tres_parse(conf, text, counts), -EINVAL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_partitions_have_the_totals_that_slurm_reports),
		TEST(test_partitions_keep_their_order_and_their_parameters),
		TEST(test_priority_sets_both_values_and_overrides_single_settings),
		TEST(test_billing_uses_the_maximum_with_max_tres),
		TEST(test_lists_of_nodes_are_equal_in_any_notation),
		TEST(test_leading_zeros_make_other_names),
		TEST(test_node_sets_select_nodes_or_features),
		TEST(test_missing_cpu_counts_follow_from_the_topology),
		TEST(test_weights_of_tres_count_per_unit),
		TEST(test_a_weight_of_an_untracked_resource_counts_with_a_warning),
		TEST(test_lists_of_tres_are_counted_in_their_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
