/* SPDX-License-Identifier: GPL-2.0-only */
/* Paths below a root, by openat2() and step by step; chroot, where it may be used, says what is right. */
#include <errno.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "fixtures/build.h"

#include "symbols/root.h"

#define TOP  FIXTURES "/root-top"
#define ROOT TOP "/root"

static int build(void **state)
{
	(void)state;
	run("rm -rf " TOP " && mkdir -p " ROOT "/usr/lib/deep/er " ROOT "/etc " TOP "/etc");
	run("echo inside >" ROOT "/etc/shadow; echo outside >" TOP "/etc/shadow; echo lib >" ROOT "/usr/lib/libx.so.1");
	run("cd " ROOT
	    " && ln -s usr/lib lib && ln -s libx.so.1 usr/lib/libx.so && ln -s /usr/lib/libx.so usr/lib/abs &&"
	    " ln -s ../../../../../../etc/shadow usr/lib/escape && ln -s /etc/shadow usr/lib/abs-escape &&"
	    " ln -s loop-b usr/lib/loop-a && ln -s loop-a usr/lib/loop-b && ln -s /lib/./deep/../libx.so usr/lib/odd &&"
	    " ln -s gone usr/lib/dangling && ln -s / usr/lib/top && ln -s ../../../.. usr/lib/deep/up &&"
	    " ln -s / usr/lib/deep/slash && mkfifo usr/lib/fifo && ln -s fifo usr/lib/to-fifo && mkdir "
	    "usr/lib/directory");
	return 0;
}

/* First word of the file, "" if it is not opened. */
static void read_word(int fd, char word[64])
{
	ssize_t n = fd < 0 ? 0 : read(fd, word, 63);

	assert_true(n >= 0);
	word[n] = '\0';
	word[strcspn(word, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

static void by_openat2(int root, const char *path, char word[64])
{
	read_word(root_file(root, path), word);
}

static void by_walk(int root, const char *path, char word[64])
{
	char name[32];
	int named = root_walk(root, path);
	struct stat st;

	word[0] = '\0';
	if (named < 0)
		return;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", named);
	if (!fstat(named, &st) && S_ISREG(st.st_mode))
		read_word(open(name, O_RDONLY | O_CLOEXEC), word);
	close(named);
}

static const char *const paths[] = {
	"/usr/lib/libx.so.1",
	"usr/lib/libx.so.1",
	"//usr/./lib///libx.so",
	"/lib/libx.so",
	"/usr/lib/abs",
	"/usr/lib/escape",
	"/usr/lib/abs-escape",
	"/usr/lib/odd",
	"/../../../../etc/shadow",
	"/usr/lib/../../../../../../etc/shadow",
	"/usr/lib/top/etc/shadow",
	"/usr/lib/top/../../etc/shadow",
	"/usr/lib/deep/up/etc/shadow",
	"/usr/lib/deep/up/../etc/shadow",
	"/usr/lib/deep/slash/lib/deep/slash/etc/shadow",
	"/usr/lib/loop-a",
	"/usr/lib/dangling",
	"/usr/lib/directory",
	"/usr/lib/fifo",
	"/usr/lib/to-fifo",
	"/usr/lib/libx.so/below",
	"/usr/lib/libx.so/..",
	"/nothing",
	"/usr/lib/deep/er/..",
	"/",
	"",
	"/..",
};

/* What a process whose root it is finds there. */
static void by_chroot(const char *path, char word[64])
{
	int pipes[2];
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (!child) {
		struct stat st;
		char bytes[64];
		ssize_t n = 0;
		int fd;

		if (!chroot(ROOT) && !chdir("/") && !stat(path, &st) && S_ISREG(st.st_mode)) {
			fd = open(path, O_RDONLY);
			n = read(fd, bytes, sizeof(bytes));
		}
		_exit(n > 0 && write(pipes[1], bytes, (size_t)n) != n);
	}
	close(pipes[1]);
	read_word(pipes[0], word);
	waitpid(child, NULL, 0);
}

static void as_chroot(void **state)
{
	int root = root_open(ROOT);
	char expected[64], word[64];
	size_t found = 0;

	(void)state;
	if (geteuid())
		skip();
	assert_true(root >= 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		by_chroot(paths[i], expected);
		by_openat2(root, paths[i], word);
		assert_string_equal(word, expected);
		by_walk(root, paths[i], word);
		assert_string_equal(word, expected);
		found += expected[0] != '\0';
	}
	assert_true(found >= 12);
	close(root);
}

/* As text, where chroot() may not be used. */
static void never_outside(void **state)
{
	int root = root_open(ROOT);
	char word[64];

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		by_openat2(root, paths[i], word);
		assert_string_not_equal(word, "outside");
		by_walk(root, paths[i], word);
		assert_string_not_equal(word, "outside");
	}
	by_walk(root, "/usr/lib/escape", word);
	assert_string_equal(word, "inside");
	by_openat2(root, "/usr/lib/abs-escape", word);
	assert_string_equal(word, "inside");
	close(root);
}

static void no_regular_files(void **state)
{
	int root = root_open(ROOT);
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "socket" };
	int s = socket(AF_UNIX, SOCK_STREAM, 0), here = open(".", O_PATH | O_DIRECTORY);

	(void)state;
	assert_int_equal(chdir(ROOT "/usr/lib"), 0);
	assert_int_equal(bind(s, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(fchdir(here), 0);
	assert_int_equal(root_file(root, "/usr/lib/fifo"), -EMEDIUMTYPE);
	assert_int_equal(root_file(root, "/usr/lib/to-fifo"), -EMEDIUMTYPE);
	assert_int_equal(root_file(root, "/usr/lib/directory"), -EMEDIUMTYPE);
	assert_int_equal(root_file(root, "/usr/lib/socket"), -EMEDIUMTYPE);
	assert_int_equal(root_file(root, "/usr/lib/loop-a"), -ELOOP);
	assert_int_equal(root_walk(root, "/usr/lib/loop-a"), -ELOOP);
	assert_int_equal(root_file(root, "/usr/lib/dangling"), -ENOENT);
	assert_int_equal(root_walk(root, "/usr/lib/libx.so/below"), -ENOTDIR);
	assert_int_equal(root_plain_file("/dev/null"), -EMEDIUMTYPE);
	assert_int_equal(root_plain_file(ROOT "/usr/lib/fifo"), -EMEDIUMTYPE);
	assert_int_equal(root_open(ROOT "/etc/shadow"), -ENOTDIR);
	assert_int_equal(root_open(ROOT "/gone"), -ENOENT);
	if (!geteuid() && !mknod(ROOT "/usr/lib/watchdog", S_IFCHR | 0600, makedev(10, 130)))
		assert_int_equal(root_file(root, "/usr/lib/watchdog"), -EMEDIUMTYPE);
	close(here);
	close(s);
	close(root);
}

/* Longer, deeper and with more links than the walk takes: an answer, and nothing left open. */
static void bounds(void **state)
{
	char path[3 * PATH_MAX], command[PATH_MAX];
	int root = root_open(ROOT), before = dup(root), after;

	(void)state;
	close(before);
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(root_walk(root, path), -ENAMETOOLONG);
	path[300] = '\0';
	assert_int_equal(root_walk(root, path), -ENAMETOOLONG);
	snprintf(command, sizeof(command), "%0200d", 0);
	for (char *c = command; *c; c++)
		*c = (c - command) & 1 ? 'd' : '/';
	run("cd " ROOT " && mkdir -p .%s && : >.%s/file", command, command);
	snprintf(path, sizeof(path), "%s/file", command);
	assert_int_equal(root_walk(root, path), -ENAMETOOLONG);
	run("cd " ROOT " && d=$(printf %%04000d 0) && ln -sf $d long && ln -s long/$d longer");
	assert_true(root_walk(root, "/longer") < 0);
	after = dup(root);
	assert_int_equal(after, before);
	close(after);
	close(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_chroot),
		cmocka_unit_test(never_outside),
		cmocka_unit_test(no_regular_files),
		cmocka_unit_test(bounds),
	};

	return cmocka_run_group_tests_name("offline_root", tests, build, NULL);
}
