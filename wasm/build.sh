#!/usr/bin/env bash
# Builds the embedded guest. On Debian, as root (it installs the compiler); about ten minutes on two cores.
#
#   wasm/build.sh             all of it: packages sources native cpython link freeze
#   wasm/build.sh STEP...     only these steps
#   wasm/build.sh profile     takes the profile anew (an input of the build, kept in wasm/profile)
#
# RUNLACE_GUEST_DIR is where it works (default .guest, not in the repository). Sources that are already in its downloads/ are
# used; wasm/sources.txt says which they are, and their checksums.
set -euo pipefail
cd "$(dirname "$0")/.."
TOP=$PWD
G=${RUNLACE_GUEST_DIR:-$TOP/.guest}
mkdir -p "$G"
G=$(cd "$G" && pwd)

LLVM=19
JOBS=${JOBS:-$(nproc)}
STACK=16777216           # C stack, at the bottom of linear memory
MEMORY=50331648          # linear memory at the start: the image and room for a usual run, which then never grows it
export SOURCE_DATE_EPOCH=1735689600 LC_ALL=C TZ=UTC PYTHONHASHSEED=0

source_of() { awk -v p="$1" '$2 == p { print $'"$2"' }' wasm/sources.txt; }
PY=$(source_of python3.13 3); PY=${PY%-*}
SRC=Python-$PY

TARGET="--target=wasm32-wasip1 --sysroot=../../sysroot/usr -resource-dir ../../resource"
FEATURES="-mbulk-memory -mnontrapping-fptoint -msign-ext -mmutable-globals"
OPT="-DNDEBUG -O3 -g0 -fwrapv"
PROFILE="-fprofile-instr-use=../cpython.profdata -Wno-profile-instr-out-of-date -Wno-profile-instr-unprofiled -Wno-backend-plugin"
CONFIGURE="--with-system-libmpdec=no --disable-test-modules --without-ensurepip --disable-ipv6 --with-pymalloc"

packages() {   # the compiler, from the machine's own distribution
  apt-get update -qq
  apt-get install -y -qq clang-$LLVM lld-$LLVM llvm-$LLVM libclang-rt-$LLVM-dev-wasm32 libclang-rt-$LLVM-dev \
    build-essential pkg-config dpkg-dev xz-utils zstd >/dev/null
}

# A private apt configuration for newer suites at the machine's own mirror: nothing of them is installed on the machine.
suites() {
  local key=/usr/share/keyrings/debian-archive-keyring.gpg uri suite
  mkdir -p "$G"/apt/{etc,lists/partial,cache/archives/partial}
  uri=$(grep -h ^URIs /etc/apt/sources.list.d/*.sources | head -1 | awk '{print $2}')
  for suite in trixie sid; do
    echo "deb [signed-by=$key] $uri $suite main"
    echo "deb-src [signed-by=$key] $uri $suite main"
  done > "$G/apt/etc/sources.list"
  apt-get $APT update -qq
}
APT="-oDir::Etc::SourceList=$G/apt/etc/sources.list -oDir::Etc::SourceParts=/dev/null -oDir::State::Lists=$G/apt/lists -oDir::Cache=$G/apt/cache -oAPT::Sandbox::User=root"

sources() {
  mkdir -p "$G/downloads"
  local kind package version file sum licence listed=
  while read -r kind package version file sum licence; do
    case "$kind" in ''|'#'*) continue ;; esac
    if ! [ -f "$G/downloads/$file" ]; then
      [ -n "$listed" ] || { suites; listed=1; }
      if [ "$kind" = source ]; then
        (cd "$G/downloads" && apt-get $APT source --download-only -qq "$package=$version")
      else
        (cd "$G/downloads" && apt-get $APT download -qq "$package=$version")
      fi
    fi
    echo "$sum  $G/downloads/$file" | sha256sum -c --quiet
  done < wasm/sources.txt

  rm -rf "$G/src" "$G/sysroot" "$G/zones" "$G/resource"
  mkdir -p "$G/src" "$G/sysroot" "$G/zones" "$G/build" "$G/resource/lib/wasm32-unknown-wasip1"
  tar xf "$G/downloads/$(source_of python3.13 4)" -C "$G/src"
  dpkg -x "$G/downloads/$(source_of wasi-libc 4)" "$G/sysroot"
  dpkg -x "$G/downloads/$(source_of tzdata 4)" "$G/zones"
  dpkg -x "$G/downloads/$(source_of tzdata-legacy 4)" "$G/zones"
  # The names by which clang looks for this target.
  ln -s wasm32-wasi "$G/sysroot/usr/include/wasm32-wasip1"
  ln -s wasm32-wasi "$G/sysroot/usr/lib/wasm32-wasip1"
  ln -s /usr/lib/llvm-$LLVM/lib/clang/$LLVM/include "$G/resource/include"
  ln -s /usr/lib/llvm-$LLVM/lib/clang/$LLVM/lib/wasi/libclang_rt.builtins-wasm32.a \
    "$G/resource/lib/wasm32-unknown-wasip1/libclang_rt.builtins.a"
}

native() {     # runs the build's own scripts; also the native yardstick of make bench
  mkdir -p "$G/build/native"; cd "$G/build/native"
  OPT="-DNDEBUG -O3" ../../src/$SRC/configure --with-system-libmpdec=no --without-ensurepip --disable-test-modules >configure.log
  make -j"$JOBS" >make.log 2>&1
  cd "$TOP"
}

profile() {    # of a native build with the same compiler and, as on WebAssembly, without computed gotos
  mkdir -p "$G/build/profile"; cd "$G/build/profile"
  CC=clang-$LLVM LLVM_PROFDATA=/usr/bin/llvm-profdata-$LLVM LLVM_AR=/usr/bin/llvm-ar-$LLVM \
    CFLAGS="-fprofile-instr-generate -fprofile-update=atomic" LDFLAGS="-fprofile-instr-generate" OPT="-DNDEBUG -O2 -fwrapv" \
    ../../src/$SRC/configure --with-system-libmpdec=no --without-ensurepip --without-computed-gotos >configure.log
  LLVM_PROFILE_FILE=$PWD/build-%m.profraw make -j"$JOBS" >make.log 2>&1
  LLVM_PROFILE_FILE=$PWD/train-%m.profraw ./python "$TOP/wasm/profile/train.py"
  llvm-profdata-$LLVM merge -o cpython.profdata train-*.profraw
  zstd -q -19 -f cpython.profdata -o "$TOP/wasm/profile/cpython.profdata.zst"
  cd "$TOP"
}

cpython() {    # libpython for wasm32-wasip1
  rm -rf "$G/build/wasi"; mkdir -p "$G/build/wasi"
  zstd -q -d -f wasm/profile/cpython.profdata.zst -o "$G/build/cpython.profdata"
  cd "$G/build/wasi"
  # clock_nanosleep is said to be missing: with it, sleeping means waiting for an absolute time.
  CONFIG_SITE=../../src/$SRC/Tools/wasm/config.site-wasm32-wasi HOSTRUNNER=false \
    CC="clang-$LLVM $TARGET" CPP="clang-cpp-$LLVM $TARGET" CXX="clang++-$LLVM $TARGET" \
    AR=llvm-ar-$LLVM RANLIB=llvm-ranlib-$LLVM READELF=llvm-readelf-$LLVM NM=llvm-nm-$LLVM LLVM_AR=/usr/bin/llvm-ar-$LLVM \
    CFLAGS="$FEATURES $PROFILE" OPT="$OPT" PKG_CONFIG_PATH= PKG_CONFIG_LIBDIR=/nonexistent \
    ../../src/$SRC/configure --host=wasm32-wasip1 --build="$(../../src/$SRC/config.guess)" --with-build-python=../native/python \
    $CONFIGURE ac_cv_func_clock_nanosleep=no ac_cv_lib_rt_clock_nanosleep=no >configure.log 2>&1
  make -j"$JOBS" libpython3.13.a Modules/_decimal/libmpdec/libmpdec.a Modules/_hacl/libHacl_Hash_SHA2.a >make.log 2>&1
  cd "$TOP"
}

link() {       # the reactor
  rm -rf "$G/build/guest"; mkdir -p "$G/build/guest"; cd "$G/build/guest"
  local f
  ln -sfn "$TOP/wasm/guest" source
  for f in config encode entry freeze host number where; do
    clang-$LLVM $TARGET $FEATURES $OPT -Wall -Wextra -Wno-unused-parameter \
      -I../../src/$SRC/Include -I../../src/$SRC/Include/internal -I../wasi -c source/$f.c -o $f.o
  done
  # Without -O: with it, clang runs wasm-opt after linking where it finds one, and the result would depend on the machine.
  clang-$LLVM $TARGET -mexec-model=reactor -o guest.unstripped.wasm config.o encode.o entry.o freeze.o host.o number.o where.o \
    -Wl,-z,stack-size=$STACK -Wl,--stack-first -Wl,--initial-memory=$MEMORY -Wl,--gc-sections -Wl,--export=__stack_pointer \
    ../wasi/libpython3.13.a ../wasi/Modules/_decimal/libmpdec/libmpdec.a ../wasi/Modules/_hacl/libHacl_Hash_SHA2.a \
    -ldl -lwasi-emulated-signal -lwasi-emulated-getpid -lwasi-emulated-process-clocks -lm
  llvm-strip-$LLVM --strip-all guest.unstripped.wasm -o guest.wasm
  cd "$TOP"
}

freeze() {
  go run ./wasm/freeze -reactor "$G/build/guest/guest.wasm" -lib "$G/src/$SRC/Lib" -zones "$G/zones/usr/share/zoneinfo" \
    -python "$PY" -compiler "$(clang-$LLVM --version | head -1)" -flags "$TARGET $FEATURES $OPT $PROFILE $CONFIGURE" \
    -unmetered testdata/guest-unmetered.wasm.zst
  go test -count=1 ./wasm/inputs
}

[ $# -gt 0 ] || set -- packages sources native cpython link freeze
for step in "$@"; do
  echo "guest: $step"
  "$step"
done
