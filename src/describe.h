/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `kbpfprof --describe`: the tables that help, messages and parsing come from, for programs. docs/generate
 * makes the man pages' lists and the completion of them. Lines of fields between tabs, the first being
 * the kind of the line; "-" stands for nothing.
 *
 *	tool	NAME SUMMARY FILES COMMAND	how many files it reads; does it take a COMMAND (1, 0)?
 *	option	TOOL GROUP LETTER NAME ARGUMENT TYPE MIN MAX CHOICES HELP
 *	format	TOOL NAME IS_DEFAULT SUMMARY	of those that can show what the tool gives
 *	key	NAME				of -s
 *	event	NAME				of -e, that every kernel knows
 *
 * All tables in their own order.
 */
#ifndef DESCRIBE_H
#define DESCRIBE_H

/* To stdout. 0 or -errno. */
int describe(void);

#endif
