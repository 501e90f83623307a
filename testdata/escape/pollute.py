# trick: not a trick but the run before the tricks: it leaves a mark in every place of the interpreter that outlives a function
# want: any
import calendar
import collections
import copy
import csv
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import hashlib
import heapq
import html
import io
import itertools
import json
import math
import operator
import random
import re
import statistics
import string
import textwrap
import time
import typing
import unicodedata
import urllib.parse
import uuid
import zoneinfo


def reach(name):
    """The module of that name, past the allowlist: a loaded one, else through the interpreter's own import."""
    import json
    codecs = json.codecs
    modules = codecs.sys.modules
    if modules.get(name) is None:
        try:
            codecs.builtins.__import__(name)
        except ImportError:
            modules["_frozen_importlib"]._gcd_import(name)
    print("reached", name)
    return modules[name]


def original_sys():
    """The module sys with what the guest took away from it: the import system keeps a copy of its names."""
    sys = reach("sys")
    if not hasattr(sys, "setrecursionlimit"):
        spec = type("Spec", (), {"name": "sys", "origin": "built-in", "loader": None, "submodule_search_locations": None, "parent": None})
        try:
            return reach("_imp").create_builtin(spec)
        except Exception as e:
            print("no second sys:", type(e).__name__)
    return sys


def forge():
    """A bytearray over the whole address space: a made-up object, loaded as a constant from outside the constants."""
    import dataclasses
    ops = dataclasses.inspect.dis.opmap
    word = tuple.__itemsize__

    def cell(n):
        return (n % (1 << 8 * word)).to_bytes(word, "little")

    def payload(b):
        return id(b) + bytes.__basicsize__ - 1

    huge = (1 << (8 * word - 1)) - 1
    fake = b"".join(map(cell, (1 << 20, id(bytearray), huge, huge, 0, 0, 0, 0)))
    pointer = cell(payload(fake)) + cell(0)
    consts = (None, "the tuple that is left behind")

    def victim():
        return None

    start = id(consts) + tuple.__basicsize__
    index = ((payload(pointer) - start) // word) % (1 << 32)
    body = bytes((ops["RESUME"], 0))
    for shift in (24, 16, 8):
        body += bytes((ops["EXTENDED_ARG"], index >> shift & 255))
    body += bytes((ops["LOAD_CONST"], index & 255, ops["RETURN_VALUE"], 0))
    code = victim.__code__.replace(co_code=body, co_consts=consts, co_exceptiontable=b"")
    if code.co_consts is not consts:
        raise RuntimeError("the code object made its own constants")
    victim.__code__ = code
    memory = victim()
    forge.keep = (fake, pointer, consts, victim, memory)
    return memory


def spans():
    """The parts of memory that can be read: all of a 32-bit guest up to the last block, else the pages of live objects."""
    import dataclasses
    if tuple.__itemsize__ == 4:
        spans.keep = [bytes(1 << 16) for _ in range(4)]
        return [(1024, max(map(id, spans.keep)) + (1 << 16))]
    gc = dataclasses.inspect.sys.modules.get("gc") or __import__("gc")
    return [(page << 12, page + 1 << 12) for page in sorted({id(o) >> 12 for o in gc.get_objects()})]

COUNT = itertools.count(1)


def mark():
    """A new marker: the word, then a digit, so that a search can tell it from its own needle."""
    return "-".join(("RUN" + "lace".upper(), "noitullop"[::-1].upper(), f"{next(COUNT):05d}"))


def mark_path(path):
    raise ImportError(path)


def attempt(act):
    try:
        act()
    except Exception as e:
        print("not polluted:", type(e).__name__, e)


class RunlacePolluter(dict):
    kept = []

    def __del__(self):
        RunlacePolluter.kept.append(self)


def modules():
    sys, builtins = reach("sys"), reach("builtins")
    for module in list(sys.modules.values()):
        if type(module) is type(sys):
            module.runlace_pollution = mark()
    builtins.runlace_pollution = mark()
    sys.modules["runlace_pollution"] = type(sys)("runlace_pollution", mark())
    sys.path.append("/" + mark())
    sys.argv.append(mark())
    sys.ps1 = mark()
    reach("os").environ["RUNLACE_POLLUTION"] = mark()
    reach("__main__").runlace_pollution = mark()
    sys.meta_path.append(mark)
    sys.path_hooks.append(mark_path)
    sys.path_importer_cache[mark()] = None
    string.ascii_letters += mark()
    math.pi = 3
    urllib.parse.uses_netloc.append(mark())
    html.entities.html5[mark()] = mark() if hasattr(html, "entities") else None
    json.JSONEncoder.item_separator = ", " if json.JSONEncoder.item_separator == ", " else ","
    json.JSONEncoder.runlace_pollution = mark()
    old_dumps, old_loads = json.dumps, json.loads
    json.dumps = lambda *a, **k: old_dumps(*a, **k)
    json.loads = lambda *a, **k: old_loads(*a, **k)
    random.random = lambda: 0.5
    time.time = lambda: 0.0
    reach("linecache").cache[mark()] = (1, None, [mark()], mark())
    uuid._node, uuid._last_timestamp = 42, 2**60 - 5


def states():
    sys, gc, warnings = original_sys(), reach("gc"), reach("warnings")
    random.seed(7)
    decimal.getcontext().prec = 3
    decimal.DefaultContext.prec = 4
    decimal.getcontext().traps[decimal.Inexact] = True
    warnings.simplefilter("error")
    warnings.filters.append(("ignore", re.compile(mark()), UserWarning, None, 0))
    attempt(lambda: sys.setrecursionlimit(3333))
    attempt(lambda: sys.set_int_max_str_digits(0))
    attempt(lambda: sys.setswitchinterval(0.5))
    attempt(lambda: sys.set_asyncgen_hooks(lambda g: None, lambda g: None))
    attempt(lambda: sys.monitoring.use_tool_id(3, mark()))
    sys = reach("sys")
    sys.excepthook = lambda *a: print(mark())
    sys.unraisablehook = lambda *a: None
    sys.displayhook = lambda *a: None
    gc.callbacks.append(lambda phase, info: None)
    gc.garbage.append(mark())
    gc.set_threshold(12345, 6, 7)
    csv.register_dialect("runlace_pollution", delimiter="|")
    csv.field_size_limit(77)
    calendar.setfirstweekday(3)
    reach("copyreg").dispatch_table[RunlacePolluter] = mark
    json.codecs.register(lambda name: None)
    json.codecs.register_error("runlace_pollution", lambda e: ("", e.end))
    reach("atexit").register(print, mark())
    reach("_contextvars").ContextVar("runlace_pollution", default=mark()).set(mark())
    attempt(lambda: setattr(reach("_thread"), "_excepthook", mark()))
    for number in (2, 15):
        attempt(lambda: reach("_signal").signal(number, lambda *a: None))
    attempt(lambda: zoneinfo.reset_tzpath(("/" + mark(),)))


def caches():
    for i in range(50):
        re.compile(mark())
    zoneinfo.ZoneInfo("Europe/Paris").runlace_pollution = mark() if hasattr(zoneinfo.ZoneInfo("Europe/Paris"), "__dict__") else None
    urllib.parse.urlsplit("http://" + mark() + "/")
    datetime.datetime.strptime("3 Feb 2025", "%d %b %Y")
    for _ in range(5):
        fractions.Fraction("1/3"), textwrap.fill(mark() * 10), statistics.mean([1, 2])
    functools.singledispatch(mark)
    reach("collections.abc").Sequence.register(RunlacePolluter)
    reach("numbers").Number.register(RunlacePolluter)
    typing.Optional[RunlacePolluter], typing.List[RunlacePolluter]
    reach("sys").intern(mark())
    exec(mark().replace("-", "_") + " = 1", {})


def types():
    gc = reach("gc")
    for cls in (int, str, dict, list, type, object, bytes, tuple, float, bool, type(None), type(mark)):
        gc.get_referents(cls.__dict__)[0]["runlace_pollution"] = mark()
        reach("_thread")
    for cls in (collections.OrderedDict, decimal.Decimal if hasattr(decimal.Decimal, "__dict__") else RunlacePolluter, enum.Enum, io.StringIO, fractions.Fraction,
                uuid.UUID, string.Template, json.JSONDecoder, RunlacePolluter):
        attempt(lambda: type.__setattr__(cls, "runlace_pollution", mark()))
    copy._deepcopy_dispatch[RunlacePolluter] = mark
    mark.__kwdefaults__ = {"x": mark()}
    json.JSONEncoder.default.__kwdefaults__ = {"runlace_pollution": mark()}
    textwrap.fill.runlace_pollution = mark()


def memory():
    keep = reach("builtins").__dict__.setdefault("runlace_kept", [])
    for size in (8, 16, 24, 32, 48, 64, 100, 200, 400, 500, 1000, 4000, 20000):
        for _ in range(6):
            keep.append((mark().encode() + b" ") * (size // 24 + 1))
            keep.append(bytearray(keep[-1]))
            keep.append([mark()] * 3)
            keep.append({mark(): mark()})
    cycle = RunlacePolluter(me=mark())
    cycle["cycle"] = cycle
    keep.append(io.BytesIO(mark().encode() * 100))
    keep.append(hashlib.sha256(mark().encode()))
    generator = (mark() for _ in range(9))
    next(generator)
    keep.append(generator)
    # Freed again: what is left in the allocators' free blocks.
    waste = [(mark() * 9).encode() for _ in range(300)]
    del waste

    def deep(n, text):
        return text if n == 0 else deep(n - 1, mark())

    deep(700, mark())


def raw():
    if tuple.__itemsize__ != 4:
        return
    memory = forge()
    for at in (*range(512, 1000, 64), *range(1 << 16, 2 << 20, 1 << 15)):
        # Below the stack and in the part of it that no run has reached.
        if not any(memory[at:at + 48]):
            memory[at:at + 24] = mark().encode() + b"\0"
    for o in (300000 + len(memory[:1]), "a fresh text of this run"):
        memory[id(o) + 8]
    # A new digest of the empty bytes and of a one-letter text: cached objects that all runs share.
    memory[id(b"") + 12:id(b"") + 16] = b"\x2a\0\0\0"


def run(ctx):
    for step in (modules, states, caches, types, memory, raw):
        attempt(step)
    attempt(lambda: original_sys().settrace(lambda *a: None))
    attempt(lambda: original_sys().setprofile(lambda *a: None))
    return next(COUNT)
