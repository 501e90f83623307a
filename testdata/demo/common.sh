# Sourced by the demos: shows a command and what it prints, and notes what is not as it should be.
OUT=$(mktemp -d)
trap 'rm -rf "$OUT"' EXIT
failed=0

title() { printf '\n\033[1m%s\033[0m\n' "$*" | { [ -t 1 ] && cat || sed 's/\x1b\[[0-9]*m//g'; }; }

# run CODE ARGS... shows a command and what it prints, and checks its exit code.
run() {
  local want=$1; shift
  printf '$ runlace'; printf ' %q' "$@"; printf '\n'
  "$RUNLACE" "$@" >"$OUT/printed" 2>&1 </dev/null
  local code=$?
  cat "$OUT/printed"
  if [ $code -ne "$want" ]; then wrong "exit code $code instead of $want"; fi
}

wrong() { printf 'NOT AS IT SHOULD BE: %s\n' "$*"; failed=1; }

# expect TEXT: the last command printed that.
expect() { grep -qF -- "$1" "$OUT/printed" || wrong "there is no \"$1\""; }

finish() {
  echo
  if [ $failed -ne 0 ]; then echo "demo: not everything was as it should be"; exit 1; fi
  echo "demo: all as it should be"
}
