"""First of the scripts that run in the interpreter that is about to be frozen: loads everything that a run may need.

No run can load a module, so besides the allowlist this loads what those modules import inside functions, and the codecs, which
are modules too.
"""
import importlib, os, sys

from _runlace.allowlist import MODULES
from _runlace import entry, stdio, typestubs

sys.modules["runlace_types"] = typestubs.make()

# zoneinfo asks sysconfig where time zones are installed, and sysconfig a module that says how Python was built.
import types
built = types.ModuleType("_sysconfigdata")
built.build_time_vars = {"TZPATH": "", "prefix": "/", "exec_prefix": "/", "SOABI": "", "EXT_SUFFIX": "", "Py_GIL_DISABLED": 0}
import sysconfig
sys.modules[sysconfig._get_sysconfigdata_name()] = built

# Imported by functions of the allowlist's modules, or by the interpreter's C code.
LATER = """
collections.abc html.parser html.entities json.decoder json.encoder json.scanner importlib importlib.abc importlib.machinery importlib.util
_strptime _pydatetime _pydecimal _pylong _threading_local _colorize _compat_pickle _suggestions ast atexit contextvars copyreg dis errno fnmatch
gc genericpath inspect keyword linecache locale marshal opcode os pickle posixpath ntpath platform quopri binascii queue
reprlib secrets signal stat stringprep struct sysconfig threading token tokenize traceback tracemalloc types warnings weakref urllib
zoneinfo._common zoneinfo._tzpath zoneinfo._zoneinfo _md5 _sha1 _sha2 _sha3 _blake2 unicodedata array
""".split()

CODECS = """
aliases ascii latin_1 utf_8 utf_8_sig utf_7 utf_16 utf_16_le utf_16_be utf_32 utf_32_le utf_32_be idna punycode charmap
unicode_escape raw_unicode_escape undefined hex_codec base64_codec quopri_codec uu_codec rot_13
cp1250 cp1251 cp1252 cp1253 cp1254 cp1257 cp437 cp850 cp852 cp866 koi8_r koi8_u mac_roman
iso8859_1 iso8859_2 iso8859_5 iso8859_7 iso8859_9 iso8859_15
""".split()

optional = {"_pylong", "queue", "tracemalloc", "sysconfig"}
for name in [*MODULES, *LATER, *("encodings." + c for c in CODECS)]:
    try:
        importlib.import_module(name)
    except ImportError:
        if name not in optional:
            raise
import codecs
for name in CODECS[1:]:
    codecs.lookup(name)    # fills the codec registry's cache


def load_zones(top):
    """Puts the time zones below top into one bytes object, from where zoneinfo reads them."""
    import io, zoneinfo, zoneinfo._common, zoneinfo._tzpath

    blob, index, at = bytearray(), {}, {}
    for folder, folders, names in os.walk(top):
        folders.sort()
        for name in sorted(names):
            with open(f"{folder}/{name}", "rb") as f:
                data = f.read()
            if data not in at:
                at[data] = len(blob), len(data)
                blob += data
            index[f"{folder}/{name}"[len(top) + 1:]] = at[data]
    blob = bytes(blob)
    BytesIO, NotFound, every = io.BytesIO, zoneinfo.ZoneInfoNotFoundError, frozenset(index)

    def load_tzdata(key):
        try:
            start, size = index[key]
        except KeyError:
            raise NotFound(f"No time zone found with key {key}") from None
        return BytesIO(blob[start:start + size])

    def available_timezones():
        """The names of all time zones."""
        return set(every)

    zoneinfo.reset_tzpath(to=())
    zoneinfo._common.load_tzdata = load_tzdata
    zoneinfo.available_timezones = zoneinfo._tzpath.available_timezones = available_timezones
    return len(index)


zones = load_zones("/zones")
if zones < 500:
    raise SystemExit(f"only {zones} time zones")
print("guest: python", sys.version.split()[0], "with", len(sys.modules), "modules and", zones, "time zones")
