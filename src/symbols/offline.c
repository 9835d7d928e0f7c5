/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/offline.h"

#include "symbols/offline_parts.h"

int offline_resolve(struct recording *r, const struct offline_options *o)
{
	struct offline_tell tell = { .quiet = o->quiet };
	int err = offline_kernel(r, o, &tell);

	if (!err)
		err = offline_files(r, o, &tell);
	offline_tell_rest(&tell);
	return err;
}
