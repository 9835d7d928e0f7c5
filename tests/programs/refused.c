/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * refused OBJECT PROGRAM [-v]: loads one program of a BPF object as a session does and tells what became of it.
 * Ends with 0, or 4 if it was refused.
 */
#include <bpf/libbpf.h>
#include <err.h>
#include <string.h>
#include <sys/resource.h>

#include "core/exit.h"
#include "core/verifier.h"

static int load(struct bpf_object *object, enum verifier_mode mode)
{
	struct verifier verifier;
	int err;

	verifier_watch(&verifier, object, mode);
	err = bpf_object__load(object);
	if (err)
		verifier_tell(&verifier, err);
	verifier_close(&verifier);
	return err ? EXIT_NOT_POSSIBLE : EXIT_DONE;
}

int main(int argc, char **argv)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct bpf_object *object;
	struct bpf_program *p;
	int code;

	if (argc < 3)
		errx(EXIT_USAGE, "usage: refused OBJECT PROGRAM [-v]");
	setrlimit(RLIMIT_MEMLOCK, &all);
	object = bpf_object__open_file(argv[1], NULL);
	if (!object)
		err(EXIT_FAILED, "%s", argv[1]);
	bpf_object__for_each_program(p, object) bpf_program__set_autoload(p, !strcmp(bpf_program__name(p), argv[2]));
	code = load(object, argc > 3 ? VERIFIER_TALKS : VERIFIER_QUIET);
	bpf_object__close(object);
	return code;
}
