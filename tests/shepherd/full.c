/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shepherd on a full disk: no record is lost, and waiting costs little. Needs a small disk of its
 * own.
 */
#include "tests/shepherd/shepherd.h"

#include <sched.h>
#include <sys/mount.h>

#define DISK "size=64k,mode=0755"

static char disk_path[100];

/* Move the attempt to the small disk, with its config. */
static int attempt_make_on_disk(const char *line)
{
	int dirfd = attempt_make_shell(line, "{}");
	char command[700];

	close(dirfd);
	snprintf(command, sizeof(command), "rm -rf %s/* && mkdir %s/a && cp -p %s/config %s/a/", disk_path, disk_path,
		 attempt_path, disk_path);
	assert_int_equal(system(command), 0);
	snprintf(attempt_path, sizeof(attempt_path), "%s/a", disk_path);
	dirfd = open(attempt_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(dirfd >= 0);
	return dirfd;
}

static void disk_fill(void)
{
	char path[200], block[4096] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/filler", disk_path);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
	assert_true(fd >= 0);
	while (write(fd, block, sizeof(block)) > 0)
		;
	assert_int_equal(errno, ENOSPC);
	close(fd);
}

static void disk_empty(void)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/filler", disk_path);
	assert_int_equal(unlink(path), 0);
}

static unsigned long ticks_used(pid_t pid)
{
	unsigned long user = 0, system = 0;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system),
			 2);
	fclose(f);
	return user + system;
}

static bool has_begun(void *dirfd)
{
	return look(*(int *)dirfd).begun == ATTEMPT_BY_SHEPHERD;
}

static bool is_gone(void *path)
{
	return access(path, F_OK) != 0;
}

static void test_the_end_of_a_task_is_written_when_space_is_available_again(void **state)
{
	int dirfd = attempt_make_on_disk("echo begun; " UNTIL_GO "exit 6");
	pid_t shepherd = shepherd_start(attempt_path);
	struct attempt attempt;
	unsigned long ticks;
	char leader[32];
	time_t emptied;

	(void)state;
	assert_true(wait_until(has_begun, &dirfd));
	attempt = look(dirfd);
	disk_fill();
	let_go();
	snprintf(leader, sizeof(leader), "/proc/%d", (int)attempt.leader.pid);
	assert_true(wait_until(is_gone, leader));
	ticks = ticks_used(shepherd);
	usleep(2300000);			/* meanwhile the shepherd tries again at intervals */
	attempt = look(dirfd);
	assert_true(attempt.lock_held);		/* the task counts as running until its end is known */
	assert_false(attempt.exited);
	assert_true(ticks_used(shepherd) - ticks <= 5);
	emptied = time(NULL);
	disk_empty();
	assert_int_equal(process_wait(shepherd), 0);
	attempt = look(dirfd);
	assert_int_equal(attempt.exit.exit_status, 6);
	/* the end of the task, not of the wait */
	assert_true(attempt.exit.end_time < (double)emptied - 1);
	close(dirfd);
}

static void test_no_task_begins_on_a_full_disk(void **state)
{
	int dirfd = attempt_make_on_disk("echo ran");
	pid_t shepherd;

	(void)state;
	disk_fill();
	shepherd = shepherd_start(attempt_path);
	usleep(1500000);
	assert_int_equal(look(dirfd).begun, ATTEMPT_NOT_BEGUN);
	assert_int_not_equal(access(output_path, F_OK) == 0 && file_has_text(output_path), 1);
	disk_empty();
	assert_int_equal(process_wait(shepherd), 0);
	assert_true(look(dirfd).exited);
	assert_string_equal(file_text(output_path), "ran\n");
	close(dirfd);
}

static void test_a_full_disk_does_not_keep_an_attempt_from_being_void(void **state)
{
	int dirfd = attempt_make_on_disk("echo ran");
	struct error error;
	pid_t shepherd;

	(void)state;
	disk_fill();
	shepherd = shepherd_start(attempt_path);
	usleep(200000);
	assert_int_equal(attempt_void(dirfd, &error), 0);
	assert_int_equal(process_wait(shepherd), 1);
	assert_int_equal(look(dirfd).begun, ATTEMPT_VOID);
	assert_string_equal(file_text(output_path), "");
	disk_empty();
	close(dirfd);
}

static void test_an_unwritable_config_leaves_no_file(void **state)
{
	int dirfd = attempt_make_on_disk("true");
	struct error error;

	(void)state;
	disk_fill();
	assert_int_equal(attempt_config_write(dirfd, "{\"cwd\":\"/\"}", &error), -ENOSPC);
	assert_non_null(strstr(error.text, "No space left"));
	assert_int_not_equal(faccessat(dirfd, "config.new", F_OK, 0), 0);
	assert_int_equal(faccessat(dirfd, "config", F_OK, 0), 0);	/* the previous one */
	disk_empty();
	close(dirfd);
}

static int disk_create(void **state)
{
	if (scratch_create(state))
		return -1;
	snprintf(disk_path, sizeof(disk_path), "%s/disk", scratch);
	return mkdir(disk_path, 0755) || mount("none", disk_path, "tmpfs", MS_NOSUID | MS_NODEV, DISK);
}

static int disk_destroy(void **state)
{
	umount2(disk_path, MNT_DETACH);
	return scratch_destroy(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_end_of_a_task_is_written_when_space_is_available_again),
		TEST(test_no_task_begins_on_a_full_disk),
		TEST(test_a_full_disk_does_not_keep_an_attempt_from_being_void),
		TEST(test_an_unwritable_config_leaves_no_file),
	};

	if (geteuid() != 0 || unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		puts("only root can make a file system");
		return 77;
	}
	return cmocka_run_group_tests(tests, disk_create, disk_destroy);
}
