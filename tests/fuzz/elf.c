/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readers of files that others wrote: ELF segments, symbols, build-ids and debuglinks, notes,
 * kallsyms and modules. Beyond the sanitizers' rules: each address asked for gets one answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/build_id.h"
#include "symbols/debug_file.h"
#include "symbols/elf.h"
#include "symbols/kallsyms.h"
#include "symbols/packed_kernel.h"
#include "symbols/root.h"

#define ADDRESSES 64

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

static void must(int holds)
{
	if (!holds)
		abort();
}

/* ctx: the id that is due. */
static int take(void *ctx, uint32_t id, const struct found *f)
{
	uint32_t *due = ctx;

	must(id == (*due)++);
	must(!f->name == (f->why != WHY_NAMED));
	must(f->why < WHY_CAUSES);
	return 0;
}

/* Around where the file says that code lies: all over its first segments. */
static void choose_addresses(const struct elf_load *loads, int n_loads, struct wanted w[ADDRESSES])
{
	uint64_t start = n_loads > 0 ? loads[0].address : 0xffffffff81000000;
	uint64_t step = n_loads > 0 ? loads[0].bytes / ADDRESSES + 1 : 64;

	for (uint32_t i = 0; i < ADDRESSES; i++)
		w[i] = (struct wanted){ start + i * step < start ? UINT64_MAX : start + i * step, i };
}

static void read_elf(int fd)
{
	struct offline_tell silence = { .quiet = true };
	struct debug_places places = { .root_name = "", .dir_root = -1, .dir = "", .dir_name = "", .tell = &silence };
	struct elf_load loads[ELF_LOADS_MAX];
	struct wanted w[ADDRESSES];
	int n = elf_loads(fd, loads), debug;
	struct build_id id;
	uint64_t address;
	uint32_t due = 0;

	must(n == -ENOEXEC || (n > 0 && n <= ELF_LOADS_MAX));
	choose_addresses(loads, n, w);
	must(!elf_symbols(fd, w, ADDRESSES, take, &due) && due == ADDRESSES);
	for (uint32_t i = 0; n > 0 && i < ADDRESSES; i++)
		elf_address(loads, (unsigned)n, w[i].address, &address);
	must(elf_has_symtab(fd) <= 1);
	elf_symbol_address(fd, "_stext", &address);
	build_id_of_file(fd, &id);
	must(id.n <= BUILD_ID_BYTES_MAX);
	packed_kernel(fd);
	places.root = root_open("/proc/self/fdinfo"); /* has no ELF file, whatever the name */
	debug = debug_file_find(&places, fd, "/object", &id);
	must(debug == -ENOENT);
	close(places.root);
}

static void read_text(int fd)
{
	struct code_ranges ranges = { 0 };
	struct wanted w[ADDRESSES];
	uint64_t stext;
	uint32_t due = 0;

	choose_addresses(NULL, 0, w);
	must(lseek(fd, 0, SEEK_SET) == 0);
	kallsyms_stext(fd, &stext);
	must(lseek(fd, 0, SEEK_SET) == 0);
	must(!kallsyms_symbols(fd, w, ADDRESSES, NULL, take, &due) && due == ADDRESSES);
	must(lseek(fd, 0, SEEK_SET) == 0);
	must(!kallsyms_modules(fd, &ranges));
	free(ranges.list);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	struct build_id id;

	must(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
	read_elf(fd);
	read_text(fd);
	for (size_t align = 4; align <= 8; align += 4)
		for (int swapped = 0; swapped < 2; swapped++) {
			build_id_of_notes(data, bytes, align, swapped, &id);
			must(id.n <= BUILD_ID_BYTES_MAX);
		}
	close(fd);
	return 0;
}
