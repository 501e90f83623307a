"""Second: runs workflow-like code, so that the interpreter's caches are filled and its bytecode is specialised before the freeze.

It goes through _runlace.entry as a run does. Its effects stay in caches; what else it leaves behind, 3_seal.py removes.
"""
import sys

from _runlace import entry
from _runlace.stdio import LogStream

sys.stdout = sys.__stdout__ = LogStream(1, "<stdout>")
sys.stderr = sys.__stderr__ = LogStream(2, "<stderr>")

WORKFLOW = '''
from __future__ import annotations
import abc, base64, bisect, calendar, cmath, collections, contextlib, copy, csv, dataclasses, datetime, decimal, difflib, enum, fractions, functools
import graphlib, hashlib, heapq, hmac, html, io, ipaddress, itertools, json, math, numbers, operator, pprint, random, re, statistics, string
import textwrap, time, typing, unicodedata, urllib.parse, uuid, zoneinfo
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime as DateTime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Literal, NamedTuple, Optional, Protocol, TypedDict
from runlace_types import Ctx, Inputs, Output, ToolError


@dataclass
class Line:
    sku: str
    amount: Decimal
    count: int = 1
    tags: list[str] = field(default_factory=list)
    placed: Optional[DateTime] = None

    @property
    def total(self) -> Decimal:
        return (self.amount * self.count).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)

    def key(self) -> str:
        return hashlib.sha256(f"{self.sku}:{self.count}".encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Point:
    x: float
    y: float = 0.0
    more: dict = field(default_factory=dict, repr=False, compare=False)


class Kind(enum.Enum):
    OPEN = "open"
    DONE = "done"


class Bits(enum.IntFlag):
    A = 1
    B = 2


class Row(NamedTuple):
    a: int
    b: str = "x"


class Shape(TypedDict, total=False):
    side: float


class HasArea(Protocol):
    def area(self) -> float: ...


class Base(abc.ABC):
    def __init__(self, n): self.n = n
    @abc.abstractmethod
    def go(self): ...
    @staticmethod
    def s(x): return x
    @classmethod
    def c(cls, x): return cls(x)
    def __repr__(self): return f"{type(self).__name__}({self.n!r})"
    def __eq__(self, o): return isinstance(o, Base) and self.n == o.n
    def __hash__(self): return hash(self.n)
    def __lt__(self, o): return self.n < o.n


class Derived(Base):
    def __init__(self, n):
        super().__init__(n)
        self.extra = [n]
    def go(self): return self.n + 1
    def __enter__(self): return self
    def __exit__(self, *a): return False


@contextlib.contextmanager
def managed(x):
    try:
        yield x
    finally:
        pass


def deco(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner


@deco
def mix(a, /, b=2, *rest, key=None, **more):
    return a, b, rest, key, more


@functools.lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)


def numbers_upto(n):
    for i in range(n):
        yield i


def parse(row: str) -> Line:
    m = re.match(r"(?P<sku>\\w+)\\s*;\\s*([\\d.]+)\\s*;\\s*(\\d{4}-\\d\\d-\\d\\d)", row)
    if not m:
        raise ValueError(f"bad row: {row!r}")
    return Line(m["sku"], Decimal(m[2]), placed=DateTime.strptime(m[3], "%Y-%m-%d").replace(tzinfo=timezone.utc))


def run(ctx: Ctx) -> Output:
    rows, problems = [], []
    for i in range(3):
        for row in ("ab1; 10.50 ; 2024-02-03", "zz ; 7 ; 2023-12-31", "bad"):
            try:
                rows.append(parse(row))
            except ValueError as e:
                problems.append(str(e))
        try:
            found = ctx.warm.search(query="x", limit=i, deep={"a": [1, 2.5, None, True]})
            found["items"], found.get("n"), ctx.inputs.get("rows", []), ctx.inputs["n"]
            ctx.warm.fail(code=i)
        except ToolError as e:
            e.code, e.message, e.data, e.tool, str(e)
        ctx.ai(system="s", user="u")
        ctx.media("media:sha256:00")
    by: defaultdict[str, Decimal] = defaultdict(Decimal)
    for r in sorted(rows, key=lambda r: (r.sku, -r.amount)):
        by[r.sku] += r.total
        r.tags.append(r.key())
    asdict(rows[0]), replace(rows[0], count=3), rows[0] == rows[1], repr(rows[0])
    p = Point(x=1.0, y=2.0)
    hash(p), p < Point(x=2.0), Kind("open"), Kind.DONE.value, Kind["OPEN"].name, list(Kind), Bits.A | Bits.B, Row(1)._asdict(), Row(1) == (1, "x")
    d = Derived(3)
    with d as q, managed(4) as v:
        q.go(), d.s(1), d.c(2), repr(d), d == q, hash(d), sorted([Derived(2), Derived(1)]), v
    mix(1), mix(1, 2, 3, key=4, z=5), fib(20), sum(numbers_upto(50)), [x * 2 for x in range(9) if x % 2], {k: v for k, v in zip("abc", range(3))}, {x for x in "ab"}
    text = json.dumps({"a": [1, 2.5, None, True, -3], "b": "\\u00e9", "c": {"d": "x" * 40}}, sort_keys=True, indent=1)
    json.loads(text), json.dumps([1], separators=(",", ":")), json.loads('{"x": [1e3, -2, "\\\\u00e9"]}')
    try:
        json.loads("{bad")
    except ValueError as e:
        str(e)
    re.sub(r"\\s+", " ", "a  b   c"), re.findall(r"[a-z]+", "ab cd"), re.split(r"[,;]\\s*", "a, b; c"), re.sub(r"(\\w)(\\w*)", lambda m: m[1].upper() + m[2], "ab cd")
    re.compile(r"^(?:[^@\\s]+)@(?P<host>[\\w.-]+)\\.(?:org|net)$", re.I | re.M).search("A@b.org").groupdict(), [m.span() for m in re.finditer("a|b", "abab")]
    re.fullmatch(r"(\\d{1,3})(?:,(\\d{3}))*(?:\\.\\d+)?", "1,234.50"), re.search(r"\\b(foo|bar)\\b", "a foo"), re.escape("a.b")
    t = DateTime(2024, 2, 28, tzinfo=timezone.utc) + timedelta(days=2, hours=3)
    t.isoformat(), t.strftime("%Y-%m-%d %H:%M:%S %A %B"), DateTime.strptime("2024-01-02 PM 03", "%Y-%m-%d %p %I"), DateTime.fromisoformat("2024-01-02T03:04:05+00:00"), t - t, t < t
    DateTime.now(timezone.utc), DateTime.now(), date.today(), date.fromisoformat("2024-01-02").isoformat(), t.date(), t.timestamp(), DateTime.fromtimestamp(0, timezone.utc), t.weekday(), t.isocalendar()
    t.astimezone(zoneinfo.ZoneInfo("Europe/Paris")).isoformat(), t.astimezone(zoneinfo.ZoneInfo("America/New_York")).utcoffset()
    time.time(), time.monotonic(), time.perf_counter(), time.strftime("%Y", time.gmtime(0)), time.time_ns(), time.sleep(0)
    x = Decimal("1.10") * 3 / 7
    str(x), float(x), f"{x:.2f}", f"{x:,.2f}", x > 1, round(x, 2), Decimal(5).sqrt(), sum([Decimal(1), Decimal("2.5")]), int(x), -x, abs(x), decimal.getcontext().prec
    with decimal.localcontext() as c:
        c.prec = 5
        Decimal(1) / 7
    hashlib.md5(b"x").hexdigest(), hashlib.sha1(b"x").digest(), hashlib.sha512(b"x").hexdigest(), hashlib.new("sha256", b"x").hexdigest(), hmac.new(b"k", b"m", "sha256").hexdigest(), hmac.compare_digest("a", "a")
    base64.b64encode(b"x").decode(), base64.b64decode("eA=="), base64.urlsafe_b64encode(b"??"), b"x".hex(), bytes.fromhex("00ff"), int.from_bytes(b"ab", "big"), (5).to_bytes(2, "big")
    uuid.uuid4(), uuid.uuid5(uuid.NAMESPACE_DNS, "a"), str(uuid.UUID(int=5)), random.random(), random.randint(1, 6), random.choice([1, 2]), random.sample(range(10), 3), random.shuffle([1, 2]), random.choices("ab", k=3), random.gauss(0, 1), random.Random(5).random()
    list(csv.DictReader(io.StringIO("a,b\\n1,2\\n"))), list(csv.reader(["x,y"])), csv.writer(io.StringIO()).writerow([1, "x,y"])
    out = io.StringIO()
    w = csv.DictWriter(out, ["a", "b"]); w.writeheader(); w.writerow({"a": 1, "b": 2}); out.getvalue(); io.BytesIO(b"ab").read(1)
    html.escape("<a>"), html.unescape("&lt;&eacute;&#65;"), copy.deepcopy({"a": [1, {"b": 2}]}), copy.copy([1]), copy.deepcopy(rows[0])
    h = [3, 1, 2]; heapq.heapify(h); heapq.heappush(h, 0); heapq.heappop(h); heapq.nlargest(2, h); bisect.bisect([1, 2, 3], 2); bisect.insort(h, 5)
    cnt = Counter("abca"); cnt.most_common(2); cnt.update("ab"); cnt + cnt; deque([1, 2], maxlen=2).append(3); OrderedDict(a=1).move_to_end("a"); collections.ChainMap({}, {}); namedtuple("N", "a b")(1, 2)._replace(a=3)
    sorted([{"a": 2}, {"a": 1}], key=operator.itemgetter("a")), sorted([3, 1], reverse=True), max(rows, key=operator.attrgetter("amount")), min([1, 2], default=0), operator.methodcaller("upper")("a")
    string.Template("$a b").substitute(a=1), string.ascii_letters, textwrap.dedent("  a\\n  b"), textwrap.fill("a b c " * 10, 20), textwrap.shorten("a b c d", 5), textwrap.indent("a", "  ")
    statistics.mean([1, 2, 3]), statistics.median([1, 2, 3]), statistics.stdev([1.0, 2.0, 4.0]), statistics.fmean([1, 2]), statistics.mode("aab"), statistics.quantiles([1, 2, 3]), statistics.pstdev([1, 2])
    list(itertools.chain([1], [2])), [list(g) for _, g in itertools.groupby([1, 1, 2])], list(itertools.islice(itertools.count(), 3)), list(itertools.product("ab", repeat=2)), list(itertools.accumulate([1, 2])), list(itertools.combinations("abc", 2)), list(itertools.pairwise([1, 2])), list(itertools.batched("abc", 2)), list(itertools.zip_longest([1], [2, 3]))
    functools.reduce(operator.add, [1, 2]), functools.partial(mix, 1)(k=2), fractions.Fraction(1, 3) + 1, math.sqrt(2), math.floor(2.5), math.isclose(1, 1), math.prod([1, 2]), math.log(5), cmath.sqrt(-1), round(2.567, 2), divmod(7, 2), 2 ** 100, str(3 ** 500), 7 // 2, -7 % 3, 1e300 * 10
    u = urllib.parse.urlparse("https://u@h:1/p?q=1#f"); u.query, u.hostname, u.port, urllib.parse.urlencode({"a": "b c"}), urllib.parse.quote("a b/\\u00e9"), urllib.parse.unquote("%C3%A9"), urllib.parse.parse_qs("a=1&b=2"), urllib.parse.urljoin("http://a/b/", "../c"), urllib.parse.urlsplit("http://a/b").path
    calendar.monthrange(2024, 2), calendar.month_name[2], list(difflib.unified_diff(["a"], ["b"])), difflib.get_close_matches("ape", ["apple"]), difflib.SequenceMatcher(None, "ab", "ac").ratio(), pprint.pformat({"a": [1] * 30}), unicodedata.normalize("NFKD", "e\\u0301"), unicodedata.category("a")
    ipaddress.ip_address("10.0.0.1") in ipaddress.ip_network("10.0.0.0/8"), list(graphlib.TopologicalSorter({"a": {"b"}}).static_order()), isinstance(3, numbers.Number), typing.get_type_hints(Line), isinstance(d, Base), issubclass(Derived, Base), callable(run), getattr(d, "n"), hasattr(d, "nope"), setattr(d, "z", 1), vars(d), dir(d)
    s = "Hello, World"
    s.lower().split(", "), " x ".strip().replace("x", "y"), f"{1:>5}{s!r:<20}{1.5:.2f}{255:#x}{1234567:,}{0.5:.0%}", "%s %d %05.2f" % ("a", 1, 2.5), "{} {a}".format(1, a=2), "-".join(["b"] * 3), s.encode("utf-8").decode(), s[::-1], s.title(), s.partition(","), s.find("W"), s.startswith("H"), s.zfill(20), s.casefold(), "a\\nb".splitlines(), s.isdigit(), s.count("l"), s.rsplit(None, 1), s.center(30), s.translate({72: "J"}), chr(65), ord("a"), repr(s), s.removeprefix("He"), "\\u00e9\\u4e2d".encode(), str(1.1), str(10**20), int("12"), float("1.5"), bool(""), bytes(3), bytearray(b"a"), list("ab"), tuple("ab"), dict(a=1), set("ab") & set("b"), frozenset("a"), slice(1, 2), enumerate("ab"), list(zip("ab", "cd", strict=True)), list(map(str, [1])), list(filter(None, [0, 1])), list(reversed([1])), any([0, 1]), all([1]), sum([1, 2]), abs(-1), hex(255), isinstance("a", (int, str)), id(s) > 0, hash(s)
    a, *rest = [1, 2, 3]; a += 1; rest[0:1] = [9, 9]; del rest[0]; lst = [1, 2]; lst.extend([3]); lst.insert(0, 0); lst.pop(); lst.remove(1); lst.index(2); lst.sort(); lst.reverse(); lst.copy(); lst.clear()
    dd = {"a": 1}; dd.update(b=2); dd.setdefault("c", []).append(1); dd.pop("a"); dd.get("z"); list(dd.items()); dd | {"q": 1}; "a" in dd; dict.fromkeys("ab"); dd.keys() - {"b"}; (y := 5); y if y > 3 else None
    for item in ({"t": "a", "v": [1, 2]}, Point(x=1.0), [1, 2], 5, "s", None):
        match item:
            case {"t": "a", "v": [first, *others]}: first
            case Point(x=px): px
            case [one, two]: one
            case int() | float(): 1
            case str(): 2
            case _: 3
    for bad in (lambda: 1 / 0, lambda: {}["k"], lambda: [][1], lambda: int("x"), lambda: None.x, lambda: "a" + 1, lambda: nope):
        try:
            bad()
        except (ZeroDivisionError, KeyError, IndexError) as e:
            repr(e), e.args
        except Exception as e:
            str(e), type(e).__name__
        else:
            pass
        finally:
            pass
    try:
        try:
            raise KeyError("inner")
        except KeyError as e:
            raise RuntimeError("outer") from e
    except RuntimeError as e:
        e.__cause__
    i = 0
    while i < 40:
        i += 1
        if i % 3 == 0: continue
        if i > 35: break
    print("warm", len(rows), end="\\n"); print(rows[0], file=None)
    assert rows, "rows"
    return {"total": {k: str(v) for k, v in by.items()}, "problems": problems, "n": len(rows), "ratio": 0.5, "nested": [{"a": (1, 2)}, None, True, 10**18]}
'''

FAILING = '''
import json
from runlace_types import ToolError

def inner(x):
    return 1 / x

def run(ctx):
    try:
        inner(0)
    except ZeroDivisionError as e:
        raise ValueError("caught") from e
'''

TOOL_ERROR = '''
def run(ctx):
    ctx.warm.fail(reason="x")
'''

REFUSED = '''
def run(ctx):
    import os
'''

NOT_JSON = '''
import datetime
def run(ctx):
    return {"a": [1, datetime.date(2024, 1, 2)]}
'''


def go(source, want_failed):
    import marshal
    failed, code = entry.compile_workflow(source)
    assert not failed, code
    failed, answer = entry.run(marshal.loads(code), source, '{"n": 1, "rows": [{"a": 1.5}]}', False)
    assert failed == want_failed, answer
    return answer


for _ in range(12):
    go(WORKFLOW, False)
for _ in range(3):
    for source in (FAILING, TOOL_ERROR, REFUSED, NOT_JSON):
        go(source, True)
    entry.compile_workflow("def f(:\n")
entry._reserve[:] = [bytearray(1 << 20)]
