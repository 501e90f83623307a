#!/usr/bin/env bash
# The demo: the main job on real MCP servers, for a reader, and a failure if any of it is not as it should be.
#
#   testdata/demo/demo.sh bin/runlace        (make demo builds it, and installs the servers)
#
# It is a script beside its workflows, and not a command of the binary: it shows the commands as a user types them, and its files
# are fixtures. testdata/demo/sandbox.sh shows the sandbox on its own.
set -uo pipefail
RUNLACE=$(cd "$(dirname "${1:?usage: demo.sh PATH-OF-RUNLACE}")" && pwd)/$(basename "$1")
cd "$(dirname "$0")"
. ./common.sh
SERVERS=$(cd ../servers/node_modules && pwd) || { echo "the servers are not installed: make servers"; exit 1; }
export RUNLACE_HOME=$OUT/home RUNLACE_PYRIGHT=$SERVERS/.bin/pyright
DESK=$OUT/desk
mkdir -p "$DESK"
cp orders-*.csv "$DESK"

title "0. A user's MCP configuration, as Claude Code, Cursor and others write it: three servers from npm, started by node."
cat >"$OUT/mcp.json" <<JSON
{"mcpServers": {
  "filesystem": {"command": "node", "args": ["$SERVERS/@modelcontextprotocol/server-filesystem/dist/index.js", "$DESK"]},
  "memory": {"command": "node", "args": ["$SERVERS/@modelcontextprotocol/server-memory/dist/index.js"], "env": {"MEMORY_FILE_PATH": "$OUT/memory.json"}},
  "everything": {"command": "node", "args": ["$SERVERS/@modelcontextprotocol/server-everything/dist/index.js"]}
}}
JSON
cat "$OUT/mcp.json"

title "1. init takes the servers over, asks each for its tools, and writes typed stubs of them, which pyright checks."
run 0 init --from "$OUT/mcp.json" --yes
expect 'filesystem'
run 0 tools filesystem
expect 'write_file'

title "2. A workflow, written once. This one misspells an argument: it is refused, with the line and what to write instead."
sed 's/path=DESK + name/file=DESK + name/' report.py.in | sed "s#@DESK@#$DESK/#" >"$OUT/report.py"
cat -n "$OUT/report.py"
run 1 create "$OUT/report.py" --name orders --description "Sums up the order files and writes a report" --inputs-schema inputs.json --outputs-schema outputs.json
expect 'report.py:'

title "3. Corrected, it is stored: an immutable version, compiled against the tools as they are."
sed "s#@DESK@#$DESK/#" report.py.in >"$OUT/report.py"
run 0 create "$OUT/report.py" --name orders --description "Sums up the order files and writes a report" --inputs-schema inputs.json --outputs-schema outputs.json
run 0 workflows
expect 'orders'

title "4. A dry run reads for real, and cannot act: write_file is answered with a made-up value. There is no report after it."
run 0 dry-run orders --input month=2026-01
expect '1 simulated'
if [ -e "$DESK/report-2026-01.txt" ]; then wrong "the dry run has written the report"; else echo "(no report has been written)"; fi

title "5. A real run is refused until someone consents to what it does."
run 3 run orders --input month=2026-01
expect 'filesystem.write_file'
if [ -e "$DESK/report-2026-01.txt" ]; then wrong "the refused run has written the report"; fi

title "6. With consent it runs, with no model anywhere. The report is there."
run 0 run orders --input month=2026-01 --confirm --seed 7 --at 2026-02-01T09:00:00Z
expect '"orders": 6'
echo '$ cat report-2026-01.txt'
cat "$DESK/report-2026-01.txt" || wrong "there is no report"

title "7. Every attempt is in the journal, and every step of it, with what was sent and what came back."
run 0 runs
ID=$(grep -oE 'run_[0-9a-f]{12}' "$OUT/printed" | head -1)
run 0 runs show "$ID"
expect 'filesystem'
run 0 steps show "$ID" 1

title "8. The record proves itself: executed once more on the recorded answers, it is the same to the instruction. No server is called."
run 0 replay "$ID"
expect 'identical'

title "9. The workflow, edited by one line, on the old answers: the first call that differs, with both sides."
sed 's/report-/summary-/' "$OUT/report.py" >"$OUT/edited.py"
run 1 replay "$ID" --with "$OUT/edited.py"
expect 'summary-2026-01.txt'

title "10. The operator wants a person's word for each write. The run parks at the call itself, and costs nothing while it waits."
mkdir -p "$RUNLACE_HOME"
printf 'approval:\n  filesystem:\n    write_file: each\n' >"$RUNLACE_HOME/policy.yaml"
rm -f "$DESK/report-2026-01.txt"
run 4 run orders --input month=2026-01 --confirm
expect 'runlace approve'
WAITS=$(grep -oE 'run_[0-9a-f]{12}' "$OUT/printed" | head -1)
if [ -e "$DESK/report-2026-01.txt" ]; then wrong "it has written before anybody has approved it"; fi
run 0 approvals
expect 'write_file'

title "11. A person approves it, and it goes on from its journal: the reads before are not done again."
run 0 approve "$WAITS" --note "looks right"
expect '"orders": 6'
if [ ! -e "$DESK/report-2026-01.txt" ]; then wrong "there is no report"; fi
run 0 replay "$WAITS"
expect 'identical'

finish
