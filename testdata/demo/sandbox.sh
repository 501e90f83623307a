#!/usr/bin/env bash
# The sandbox on its own, for a reader, and a failure if any of it is not as it should be.
#
#   testdata/demo/sandbox.sh bin/runlace
#
# It is a script beside its workflows, and not a command of the binary: it shows the commands as a user types them, and its
# files are fixtures.
set -uo pipefail
RUNLACE=$(cd "$(dirname "${1:?usage: sandbox.sh PATH-OF-RUNLACE}")" && pwd)/$(basename "$1")
cd "$(dirname "$0")"
. ./common.sh

title "1. A workflow is Python: it gets inputs and returns JSON. The log goes to standard error."
run 0 exec report.py --inputs lines.json --input month=2026-01
expect '"total": "12.85"'

title "2. A run is a pure function: the same seed and start time give the same draw, the same clock and the same count of instructions."
run 0 exec draw.py --seed 7 --at 2026-01-31T09:30:00Z --json
sed 's/"duration_ms":[0-9.]*,//' "$OUT/printed" >"$OUT/first"
run 0 exec draw.py --seed 7 --at 2026-01-31T09:30:00Z --json
sed 's/"duration_ms":[0-9.]*,//' "$OUT/printed" >"$OUT/second"
if cmp -s "$OUT/first" "$OUT/second"; then echo "(the two are identical)"; else wrong "the two runs differ"; fi

title "3. A workflow that does not end is stopped, always at the same instruction, with its line. It cannot catch that."
run 1 exec endless.py --fuel 100000000
expect 'failed: cpu-limit at line'
run 0 explain cpu-limit

title "4. There is nothing to find in the sandbox: no files, no variables, no network."
run 0 exec snoop.py
expect '"variables": {}'
expect 'No such file or directory'

title "5. Errors say where and what to do."
run 2 exec report.py --input 'lines=[{"who": "Ada", "who": "Grace"}]'
expect 'occurs twice'

title "6. The doctor checks all of this on this machine: each limit once, isolation, determinism, the cache."
run 0 doctor
expect 'all ok'

title "What is inside: versions, and whose work it is (runlace licenses prints the texts)."
run 0 version

finish
