#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Recordings on disk as others see them: the sqlite3 shell, kbpfprof-recording(5), a checksum by perl.
# shellcheck disable=SC2016 # what stands in single quotes is perl
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=tests/lib.sh
. "$here/../lib.sh"
: "${PROGRAMS:?is set by make check}"
page=$here/../../docs/kbpfprof-recording.5
make="$PROGRAMS/recording_make"

for kind in basic intervals damaged newer empty unborn hostile wakeup irq; do
	ok "made: $kind" "$make" "$kind" "$tmp/$kind"
done
sql() { sqlite3 -readonly "$@"; }

# --- SQLite finds them whole; they are small
for kind in basic hostile empty unborn wakeup irq; do
	is "integrity_check: $kind" "$(sql "$tmp/$kind" 'PRAGMA integrity_check')" ok
done
is 'foreign keys hold' "$(sql "$tmp/hostile" 'PRAGMA foreign_key_check'; sql "$tmp/intervals" 'PRAGMA foreign_key_check'
	sql "$tmp/wakeup" 'PRAGMA foreign_key_check'; sql "$tmp/irq" 'PRAGMA foreign_key_check')" ''
is 'application_id and user_version' "$(sql "$tmp/basic" 'PRAGMA application_id; PRAGMA user_version' | tr '\n' ' ')" '1801613414 4 '
within 'bytes of a small one' "$(stat -c %s "$tmp/basic")" 1 45056
is 'file mode' "$(stat -c %a "$tmp/basic")" 600

# --- the manual says what is there
columns_of_page() { # TABLE
	sed -n "/^\.SH TABLES/,/^\.SH CHECKSUMS/{/^\.SS $1\$/,/^\.S[SH] /p}" "$page" | sed -n '/^\.TP/{n;s/^\.B //p}'
}
is 'tables in the manual' "$(sed -n '/^\.SH TABLES/,/^\.SH CHECKSUMS/s/^\.SS //p' "$page")" \
	"$(sql "$tmp/basic" "SELECT name FROM sqlite_schema ORDER BY rowid")"
for table in $(sql "$tmp/basic" "SELECT name FROM sqlite_schema"); do
	is "columns in the manual: $table" "$(columns_of_page "$table")" \
		"$(sql "$tmp/basic" "SELECT name FROM pragma_table_info('$table')")"
done
is 'keys of meta in the manual' "$(sed -n '/^\.SS meta/,/^\.SS intervals/s/\t.*//p' "$page")" \
	"$(sql "$tmp/basic" 'SELECT key FROM meta ORDER BY key')"
words=$(sed -n '/char \*const kinds\[\]/,/_Static_assert(COUNT(causes)/p' "$here/../../src/db/schema_words.c" | grep -o '= "[a-z_]*"' | cut -d'"' -f2 | grep .)
within 'words in the source' "$(wc -w <<<"$words")" 20 100
for word in $words; do
	ok "word in the manual: $word" grep -Eq "^\.BR? $word( |\$)" "$page"
done
words=$(sed -n '/words\[\] = {/,/^	};/p' "$here/../../src/core/latency_text.c" | grep -o '= "[a-z_]*"' | cut -d'"' -f2)
within 'words of latencies in the source' "$(wc -w <<<"$words")" 50 100
for word in $words; do
	ok "word of latencies in the manual: $word" grep -Eq "^\.BR? $word( |\$)|^$word	" "$page"
done
words=$(grep -o '= "[a-z_]*"\|return "[a-z_]*"' "$here/../../src/core/irq_text.c" | cut -d'"' -f2)
within 'words of interrupts in the source' "$(wc -w <<<"$words")" 40 100
for word in $words; do
	ok "word of interrupts in the manual: $word" grep -Eq "^\.BR? $word( |\$)|^$word	" "$page"
done
is 'the manual is well-formed' "$(mandoc -T lint -W warning "$page")" ''

# --- its queries, on what is known
query() { # NAME FILE
	sed -n "/^\.\\\\\" query $1\$/,/^\.\\\\\" end/p" "$page" | grep -v '^\.' | sed 's/\\-/-/g' >"$tmp/query"
	sql "$2" <"$tmp/query"
}
is 'queries in the manual' "$(grep -c '^\.\\" query' "$page")" 9
is 'query: functions' "$(query functions "$tmp/basic")" 'spin|600|60.0
copy_to_user|200|20.0
memcpy|100|10.0
ext4_write|80|8.0
0x1234|20|2.0'
is 'query: commands' "$(query commands "$tmp/basic")" 'worker|800
writer|200'
is 'query: objects' "$(query objects "$tmp/basic")" 'file|/usr/bin/worker|0102030405060708090a0b0c0d0e0f1011121314|600
kernel|[kernel]||200
file|/usr/lib/libc.so.6||100
module|ext4||80
file|/opt/blob.so||20'
is 'query: timeline' "$(query timeline "$tmp/intervals")" '1|0|100.0|90.9
2|10|100.0|83.3
3|20|100.0|76.9
4|30|100.0|71.4
5|40|100.0|66.7'
is 'query: books' "$(query books "$tmp/basic")" '1|2000|1000|900|0|50|50.0|50'
is 'query: books of an interval that lost' "$(query books "$tmp/intervals" | sed -n 3p)" '3|2000|130|1863|0|0|7.0|7'
is 'query: latencies' "$(query latencies "$tmp/wakeup")" 'timer|15000|6136|187400
waking|15000|3135|171000
queue|15000|2135|170000
preempted|12|14000|14000
activation|15000|1000|1000
hardirq|45|eth0|1901100|102
timer_handler|0||297000|99
switch|0||204700|100'
is 'query: the worst case' "$(query worst "$tmp/wakeup")" '2023-11-14 22:13:25|motor_ctl|187400|softirq|3||3|88200
2023-11-14 22:13:25|motor_ctl|187400|task_worse|0|camera-svc|1|50400
2023-11-14 22:13:25|motor_ctl|187400|hardirq|45|eth0|3|30000
2023-11-14 22:13:25|motor_ctl|187400|timer_irqs_off|0||1|12100
2023-11-14 22:13:25|motor_ctl|187400|switch|0||1|6700'
is 'query: interrupts' "$(query interrupts "$tmp/irq")" '1|softirq|3||4000|50000|50000|1.0
1|line|45|eth0|14001|2006|90000|0.14
1|ksoftirqd|3||10|400000|400000|0.02
1|thread|45|eth0|101|7009|8000|0.0'
is 'query: threads' "$(query threads "$tmp/irq")" '45|eth0|101|300000|camera-svc'
is 'addresses above 2^63' "$(sql "$tmp/basic" "SELECT printf('%x', address) FROM locations l JOIN strings s ON s.id = name WHERE text = 'ext4_write'")" ffffffffc0000700
is 'start of the kernel' "$(sql "$tmp/basic" "SELECT printf('%x', start) FROM mappings WHERE kind = 'kernel'")" ffffffff81000000

# --- frames and checksums, by the manual's rules and nothing of ours
decode='
	my ($n, $at, $last) = (0, 0, $ARGV[0]);
	print "$last ";
	for my $byte (unpack "C*", pack("H*", $ARGV[1])) {
		$n |= ($byte & 127) << $at;
		$at += 7;
		next if $byte & 128;
		$last += $n & 1 ? -($n + 1) / 2 : $n / 2;
		print "$last ";
		($n, $at) = (0, 0);
	}'
read -r leaf frames < <(sql "$tmp/basic" "SELECT leaf || ' ' || hex(frames) FROM stacks WHERE kernel_frames = 2 ORDER BY id LIMIT 1")
names=
for id in $(perl -e "$decode" "$leaf" "$frames"); do
	names="$names $(sql "$tmp/basic" "SELECT text FROM locations l JOIN strings s ON s.id = l.name WHERE l.id = $id")"
done
is 'frames of a stack' "$names" ' copy_to_user vfs_read read work main'

checksum='
	use Compress::Zlib;
	my $crc = 0;
	while (<STDIN>) {
		chomp;
		my ($table, @columns) = split / /;
		my $row = $table;
		for (@columns) {
			my ($type, $value) = split /:/, $_, 2;
			$row .= $type eq "integer" ? "i" . pack("q<", $value) : $type eq "real" ? "r" . pack("d<", $value) :
				$type eq "null" ? "n" : substr($type, 0, 1) . pack("q<", length($value) / 2) . pack("H*", $value);
		}
		$crc = crc32($row, $crc);
	}
	print $crc;'
# rows FILE TABLE CONDITION ORDER: each as its table and TYPE:VALUE of its columns but `checksum`
rows() {
	local list
	list=$(sql "$1" "SELECT group_concat('typeof(' || name || ') || '':'' || CASE typeof(' || name || ') WHEN ''integer'' THEN ' || name ||
		' WHEN ''real'' THEN printf(''%!.17g'', ' || name || ') ELSE hex(' || name || ') END', ' || '' '' || ')
		FROM pragma_table_info('$2') WHERE name <> 'checksum'")
	sql "$1" "SELECT '$2 ' || $list FROM $2 WHERE $3 ORDER BY $4"
}
check_sums() { # FILE
	local file=$1 id want
	want=$(rows "$file" meta "key <> 'checksum'" key | perl -e "$checksum")
	is "checksum of meta: ${file##*/}" "$(sql "$file" "SELECT value FROM meta WHERE key = 'checksum'")" "$want"
	for id in $(sql "$file" 'SELECT id FROM intervals'); do
		want=$(for table in strings mappings locations stacks labels irq_sources; do rows "$file" $table "interval = $id" id; done | perl -e "$checksum")
		is "checksum of names: ${file##*/} $id" "$(sql "$file" "SELECT dictionary_checksum FROM intervals WHERE id = $id")" "$want"
		want=$({
			rows "$file" intervals "id = $id" id
			for table in losses counts histograms causes cases parts spans points waits offline \
				irq_settings irq_rows irq_histograms irq_cases irq_spans irq_behind irq_senders irq_places irq_points irq_events; do
				rows "$file" $table "interval = $id" rowid
			done
		} | perl -e "$checksum")
		is "checksum of numbers: ${file##*/} $id" "$(sql "$file" "SELECT checksum FROM intervals WHERE id = $id")" "$want"
	done
}
check_sums "$tmp/basic"
check_sums "$tmp/intervals"
check_sums "$tmp/hostile"
check_sums "$tmp/wakeup"
check_sums "$tmp/irq"

# --- buckets of a histogram: their numbers and starts by the manual's rules
buckets='
	my ($n, $at, @numbers) = (0, 0);
	for my $byte (unpack "C*", pack("H*", $ARGV[0])) {
		$n |= ($byte & 127) << $at;
		$at += 7;
		next if $byte & 128;
		push @numbers, $n;
		($n, $at) = (0, 0);
	}
	for (my $b = 0; @numbers; $b++) {
		$b += shift @numbers;
		my $start = $b < 16 ? $b : (16 + $b % 16) * 2 ** (int($b / 16) - 1);
		print "$start:", shift @numbers, " ";
	}'
# 3000 lies in 2944 to 3071, 21900 in 21504 to 22527, 171000 in 163840 to 172031.
is 'buckets of a histogram' "$(perl -e "$buckets" "$(sql "$tmp/wakeup" "SELECT hex(buckets) FROM histograms WHERE interval = 1 AND kind = 'waking'")")" \
	'2944:9900 21504:99 163840:1 '

# --- through pipes
"$make" intervals - >"$tmp/image"
is 'the image is a database' "$(sql "$tmp/image" 'SELECT sum(fires) FROM samples')" 650
run "$KBPFPROF" report "$tmp/intervals"
wanted=$out
is 'report: exit status' "$rc" 0
"$make" intervals - | "$KBPFPROF" report - >"$tmp/piped"
is 'report of stdin' "$(cat "$tmp/piped")" "$wanted"
if command -v script >/dev/null; then
	like 'not to a terminal' "$(script -qec "$make basic -" /dev/null </dev/null)" 'not for a terminal'
else
	skip 'not to a terminal' 'no script(1) here'
fi

# --- damage and refusals, by name and with their exit status
run "$KBPFPROF" report -f folded "$tmp/damaged"
is 'damaged: exit status' "$rc" 5
like 'damaged: named' "$err" "^kbpfprof report: $tmp/damaged: interval 3 \(20\.0 s to 30\.0 s\): checksum wrong, left out"
is 'damaged: the rest' "$(awk '{ n += $NF } END { print n }' <<<"$out")" 520
refusal() { # NAME FILE WORDS [STATUS]
	run "$KBPFPROF" report "$2"
	is "$1: exit status" "$rc" "${4:-5}"
	like "$1: message" "$err" "^kbpfprof report: .*$3"
	is "$1: nothing on stdout" "$out" ''
}
refusal newer "$tmp/newer" 'newer version of kbpfprof \(format 5, this one reads 4\)'
refusal unborn "$tmp/unborn" 'holds no interval' 1
refusal 'a folder' "$tmp" 'is a folder'
refusal 'no file' "$tmp/none" 'No such file' 1
refusal 'a device' /dev/zero 'no regular file'
mkfifo "$tmp/fifo"
refusal 'a FIFO' "$tmp/fifo" 'no regular file'
: >"$tmp/nothing"
refusal 'an empty file' "$tmp/nothing" 'is empty'
refusal 'another file' "$0" 'is no kbpfprof recording'
sqlite3 "$tmp/other" 'CREATE TABLE t(x)'
refusal 'another database' "$tmp/other" 'an SQLite database, but no kbpfprof recording'
cp "$tmp/basic" "$tmp/viewed"
sqlite3 "$tmp/viewed" 'CREATE VIEW v AS SELECT * FROM samples'
refusal 'a view added' "$tmp/viewed" 'has other tables'
run "$KBPFPROF" report - <"$0"
is 'stdin is another file: exit status' "$rc" 5
like 'stdin is another file: message' "$err" 'stdin is no kbpfprof recording'

finish
