# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completion of kbpfprof for bash. What a tool takes is in the tables, the rest of the file says how to
# complete it. Words typed so far are never evaluated: compgen -W expands its list, so it gets ours only.

# Sets the caller's variables. Of options a line is: letter name argument choices; "-" is none.
# begin tables, made by 'make docs'
__kbpfprof_tables() {
	tools='profile wakeup irq report diff doctor'
	keys='comm dso sym pid tid cpu'
	events='cycles cpu-cycles instructions cache-references cache-misses branches branch-misses bus-cycles ref-cycles cpu-clock task-clock page-faults faults minor-faults major-faults context-switches cs cpu-migrations migrations'
	case $1 in
	profile)
		files=0 command=1
		formats='flamegraph folded json list pprof table'
		options='
F freq HZ -
c count N -
e event EVENT -
K kernel-stacks - -
U user-stacks - -
- max-stacks N -
g call-graph - -
a all - -
p pid PID,... -
t tid TID,... -
C cpu LIST -
G cgroup PATH -
- comm NAME,... -
- no-inherit - -
d duration TIME -
D delay TIME -
I interval TIME -
o output FILE -
- max-loss PCT -
- self-cost - -
- btf FILE -
v verbose - -
f format FORMAT -
s sort KEYS -
- children - -
- idle - -
- top N -
- depth N -
- percent-limit PCT -
- callers SYM -
- callees SYM -
- hist NAME -
- color WHEN auto,always,never
- no-pager - -
q quiet - -
'
		;;
	wakeup)
		files=0 command=1
		formats='json latency list'
		options='
- rt - -
- per KEY task,comm,cpu,prio,cgroup
- worst CASES -
- above TIME -
- fail-above TIME -
- user-stacks - -
- no-stacks - -
- no-causes - -
a all - -
p pid PID,... -
t tid TID,... -
C cpu LIST -
G cgroup PATH -
- comm NAME,... -
- no-inherit - -
d duration TIME -
D delay TIME -
I interval TIME -
o output FILE -
- max-loss PCT -
- self-cost - -
- btf FILE -
v verbose - -
f format FORMAT -
s sort KEYS -
- children - -
- idle - -
- top N -
- depth N -
- percent-limit PCT -
- callers SYM -
- callees SYM -
- hist NAME -
- color WHEN auto,always,never
- no-pager - -
q quiet - -
'
		;;
	irq)
		files=0 command=1
		formats='irq json list matrix'
		options='
- irq LIST -
- softirq LIST -
- work - -
- ipi - -
- off - -
- probe TIME -
- off-above TIME -
- stacks - -
- worst CASES -
- above TIME -
- storms N -
C cpu LIST -
d duration TIME -
D delay TIME -
I interval TIME -
o output FILE -
- max-loss PCT -
- self-cost - -
- btf FILE -
v verbose - -
f format FORMAT -
s sort KEYS -
- children - -
- idle - -
- top N -
- depth N -
- percent-limit PCT -
- callers SYM -
- callees SYM -
- hist NAME -
- color WHEN auto,always,never
- no-pager - -
q quiet - -
'
		;;
	report)
		files=1 command=
		formats='flamegraph folded irq json latency list matrix pprof table'
		options='
i input FILE -
- list - -
- from TIME -
- to TIME -
- comm NAME,... -
- dso NAME,... -
- sym NAME -
- pid PID,... -
- tid TID,... -
- cpu LIST -
- symfs DIR -
k vmlinux FILE -
- kallsyms FILE -
- debug-dir DIR -
f format FORMAT -
s sort KEYS -
- children - -
- idle - -
- top N -
- depth N -
- percent-limit PCT -
- callers SYM -
- callees SYM -
- hist NAME -
- color WHEN auto,always,never
- no-pager - -
q quiet - -
'
		;;
	diff)
		files=2 command=
		formats='changes flamegraph folded json'
		options='
- before FROM..TO -
- after FROM..TO -
- normalize HOW samples,time
- comm NAME,... -
- dso NAME,... -
- sym NAME -
- pid PID,... -
- tid TID,... -
- cpu LIST -
- symfs DIR -
k vmlinux FILE -
- kallsyms FILE -
- debug-dir DIR -
f format FORMAT -
s sort KEYS -
- children - -
- idle - -
- top N -
- depth N -
- percent-limit PCT -
- callers SYM -
- callees SYM -
- hist NAME -
- color WHEN auto,always,never
- no-pager - -
q quiet - -
'
		;;
	doctor)
		files=0 command=
		formats=''
		options='
- json - -
- programs - -
- btf FILE -
'
		;;
	esac
}
# end tables

# __kbpfprof_argument OPTION: sets argument and choices to those of its row, or to nothing.
__kbpfprof_argument() {
	local letter name rest
	argument='' choices=''
	while read -r letter name rest; do
		[[ -n $name ]] || continue
		[[ $1 == "--$name" || ($1 == -[!-]* && $letter != - && ${1: -1} == "$letter") ]] || continue
		read -r argument choices <<<"$rest"
		[[ $argument != - ]] || argument=''
		[[ $choices != - ]] || choices=''
		return
	done <<<"$options"
}

__kbpfprof_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }

# The last word of a list with commas.
__kbpfprof_list() {
	local before=
	[[ $cur == *,* ]] && before=${cur%,*},
	mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${cur##*,}")
	compopt -o nospace 2>/dev/null # a comma may follow
}

# __kbpfprof_files -f|-d
__kbpfprof_files() {
	mapfile -t COMPREPLY < <(compgen "$1" -- "$cur")
	compopt -o filenames 2>/dev/null # quoted; directories get a slash
}

__kbpfprof_options() {
	local letter name rest words='-h --help'
	while read -r letter name rest; do
		[[ -z $name ]] || words+=" --$name"
		[[ -z $name || $letter == - ]] || words+=" -$letter"
	done <<<"$options"
	__kbpfprof_words "$words"
}

# What follows an option.
__kbpfprof_value() {
	local tasks
	case ${choices:+choices}$argument in
	choices*) __kbpfprof_words "${choices//,/ }" ;;
	FORMAT) __kbpfprof_words "$formats" ;;
	KEYS) __kbpfprof_list "$keys" ;;
	EVENT) __kbpfprof_words "$events" ;;
	FILE) __kbpfprof_files -f ;;
	DIR | PATH) __kbpfprof_files -d ;;
	PID,...) tasks=(/proc/[0-9]*) && __kbpfprof_list "${tasks[*]##*/}" ;;
	TID,...) tasks=(/proc/[0-9]*/task/[0-9]*) && __kbpfprof_list "${tasks[*]##*/}" ;;
	esac
}

# __kbpfprof_command INDEX: COMMAND begins there. bash-completion, where it is, knows its arguments.
__kbpfprof_command() {
	if declare -F _comp_command_offset >/dev/null; then
		_comp_command_offset "$1"
	elif declare -F _command_offset >/dev/null; then
		_command_offset "$1"
	elif ((COMP_CWORD == $1)); then
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
	else
		__kbpfprof_files -f
	fi
}

_kbpfprof() {
	local tools keys events formats='' options='' files=0 command='' argument choices
	local cur=${COMP_WORDS[COMP_CWORD]} i named=0
	COMPREPLY=()
	__kbpfprof_tables "${COMP_WORDS[1]-}"
	if ((COMP_CWORD == 1)) || [[ $COMP_CWORD == 2 && ${COMP_WORDS[1]} == help ]]; then
		[[ $cur == -* ]] && tools='--help --version'
		__kbpfprof_words "$tools"
		return
	fi
	if [[ ${COMP_WORDS[COMP_CWORD - 1]} =~ ^[0-9\&]?[\<\>]+$ ]]; then
		__kbpfprof_files -f
		return
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--)
			if [[ -n $command ]]; then
				__kbpfprof_command $((i + 1))
			else
				__kbpfprof_files -f
			fi
			return
			;;
		-*)
			__kbpfprof_argument "${COMP_WORDS[i]}"
			[[ -n $argument ]] || continue
			# "--format=x" is three words, as "=" is in COMP_WORDBREAKS
			i=$((i + 1))
			[[ ${COMP_WORDS[i]} != = ]] || i=$((i + 1))
			;;
		*) named=$((named + 1)) ;;
		esac
	done
	if ((i > COMP_CWORD)); then
		[[ $cur != = ]] || cur=''
		__kbpfprof_value
	elif [[ $cur != -* ]] && ((named < files)); then
		__kbpfprof_files -f
	else
		__kbpfprof_options
	fi
}

complete -F _kbpfprof kbpfprof
