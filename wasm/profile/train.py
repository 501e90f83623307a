"""The load that the profile is taken from: what workflows do, and what the interpreter does for them.

Run by `make guest-profile` in a native, instrumented build of the same CPython. Nothing here is timed or printed.
"""
import base64, bisect, collections, contextlib, copy, csv, dataclasses, datetime, decimal, difflib, enum, fractions, functools, graphlib
import hashlib, heapq, hmac, html, io, ipaddress, itertools, json, math, operator, pprint, random, re, statistics, string, textwrap
import typing, unicodedata, urllib.parse, uuid

random.seed(20)


@dataclasses.dataclass(order=True)
class Item:
    key: str
    amount: decimal.Decimal
    when: datetime.datetime
    tags: list = dataclasses.field(default_factory=list)

    @property
    def label(self) -> str:
        return f"{self.key}:{self.amount:.2f}"


class Level(enum.Enum):
    LOW = 1
    HIGH = 2


class Tree:
    __slots__ = ("value", "left", "right")

    def __init__(self, value):
        self.value, self.left, self.right = value, None, None

    def add(self, value):
        node = self
        while True:
            side = "left" if value < node.value else "right"
            below = getattr(node, side)
            if below is None:
                setattr(node, side, Tree(value))
                return
            node = below

    def walk(self):
        if self.left:
            yield from self.left.walk()
        yield self.value
        if self.right:
            yield from self.right.walk()


class Shape:
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side * self.side


class Disc(Shape):
    def area(self):
        return 3.14159 * super().area()


def words(n):
    return ["".join(random.choices(string.ascii_lowercase, k=random.randrange(2, 10))) for _ in range(n)]


def documents(n):
    return [{"id": i, "name": w, "score": i / 7, "ok": i % 3 == 0, "none": None,
             "nested": {"path": ["a", w, i], "text": "caf\u00e9 " + w}} for i, w in enumerate(words(n))]


def use_json():
    docs = documents(1500)
    for kw in ({}, {"indent": 1}, {"sort_keys": True, "separators": (",", ":")}, {"ensure_ascii": False}):
        assert json.loads(json.dumps(docs, **kw)) == docs
    for bad in ("{", "[1,", '{"a" 1}', "nul"):
        try:
            json.loads(bad)
        except ValueError as e:
            str(e)


def use_re():
    text = " ".join(f"{w}@example.org, 2024-{i % 12 + 1:02d}-{i % 28 + 1:02d}; {w.title()} {i}.{i % 100:02d}" for i, w in enumerate(words(1500)))
    re.findall(r"(\w+)@(\w+)\.org", text)
    re.sub(r"(\d{4})-(\d\d)-(\d\d)", r"\3.\2.\1", text)
    re.sub(r"\b([a-z])(\w*)", lambda m: m[1].upper() + m[2], text)
    re.split(r"[,;]\s*", text)
    for m in re.finditer(r"(?P<whole>\d+)\.(?P<cents>\d\d)", text):
        m.group("whole"), m.span(), m.groupdict()
    re.findall(r"(?i)(?:qu|th|[aeiou]{2,})\w*?s?\b", text)
    for i in range(60):
        re.compile(rf"^(x{i}|[^y]*?)(?:\s+(\w{{1,{i + 1}}})|$)")


def use_objects():
    items = [Item(w, decimal.Decimal(i) / 7, datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=i), [w[0]]) for i, w in enumerate(words(2500))]
    by = collections.defaultdict(list)
    for item in items:
        by[item.key[0]].append(item)
        item.tags.append(item.label)
    sorted(items)
    sorted(items, key=lambda x: (x.when.month, -x.amount, x.key))
    sorted(items, key=operator.attrgetter("key"), reverse=True)
    [dataclasses.asdict(x) for x in items[:200]], [dataclasses.replace(x, key="k") for x in items[:200]]
    root = Tree(500)
    for _ in range(6000):
        root.add(random.randrange(100000))
    sum(root.walk())
    shapes = [Disc(i) if i % 2 else Shape(i) for i in range(12000)]
    sum(s.area() for s in shapes)
    {x.key: x for x in items}, {x.key for x in items}, [Level(i % 2 + 1).name for i in range(500)]
    copy.deepcopy([dataclasses.asdict(x) for x in items[:50]])
    for i in range(25):
        dataclasses.make_dataclass("D%d" % i, [("a", int), ("b", str, "x")])(1)
    isinstance(root, Tree), hasattr(root, "nope"), getattr(root, "value")


def use_text():
    ws = words(9000)
    collections.Counter(ws).most_common(20)
    "\n".join(textwrap.wrap(" ".join(ws[:2500]), 72))
    for w in ws:
        w.upper().lower().title().strip("ab").replace("e", "33").find("x"), w.startswith("a"), w.split("e"), w.encode().decode(), w in "needle", w[::-1], w[1:3]
    "".join(f"{i:>6}|{i / 7:.3f}|{w!r:<12}" for i, w in enumerate(ws))
    "%s=%d " * 3 % ("a", 1, "b", 2, "c", 3), "{0}-{name:>5}".format(1, name="z")
    out = io.StringIO()
    csv.writer(out).writerows([i, "a,b", w, i / 3] for i, w in enumerate(ws[:3000]))
    list(csv.DictReader(io.StringIO(out.getvalue()), fieldnames=list("abcd")))
    html.unescape(html.escape("<a href='x'>&</a>" * 200)), urllib.parse.urlencode({w: i for i, w in enumerate(ws[:300])})
    [urllib.parse.urlsplit(f"https://u@h{i}.example.org:8/p?q={i}#f").query for i in range(300)]
    unicodedata.normalize("NFKD", "\u00e9\u00fc\ufb01" * 500), list(difflib.unified_diff(ws[:150], ws[10:160])), difflib.get_close_matches("appel", ws[:300])
    pprint.pformat(documents(40)), sorted(ws, key=lambda w: (len(w), w)), sorted(ws), sorted(set(ws))


def use_numbers():
    x = decimal.Decimal(2)
    for i in range(6000):
        x = (x + decimal.Decimal(i) / 7).quantize(decimal.Decimal("0.0001"), rounding=decimal.ROUND_HALF_EVEN)
        str(x), float(x), x > 5
    sum(fractions.Fraction(1, i) for i in range(1, 120))
    statistics.stdev([random.gauss(0, 1) for _ in range(4000)]), statistics.median(range(999))
    m = [[random.random() for _ in range(28)] for _ in range(28)]
    [[sum(a * b for a, b in zip(r, c)) for c in zip(*m)] for r in m]
    sum(math.sin(i) * math.sqrt(i) / (i + 1.5) for i in range(60000))
    7**3000 % 10**50, str(3**4000), int("9" * 3000), math.factorial(600), math.gcd(3**400, 6**300), pow(3, 10**40, 10**39 + 7)
    n = 0
    for i in range(250000):
        n += i * 3 % 7
        if i & 1:
            n ^= i
    sieve = bytearray([1]) * 100000
    for i in range(2, 317):
        if sieve[i]:
            sieve[i * i::i] = bytes(len(range(i * i, 100000, i)))
    v = 1.0
    for i in range(1, 80000):
        v = (v + i / v) / 2.0 - 0.5


def use_calls():
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    def mix(a, b=2, *rest, key=None, **more):
        return a, b, rest, key, more

    fib(21)
    for i in range(15000):
        mix(i), mix(i, 3, 4, key=5), mix(*(i, i), **{"z": 1})
    functools.lru_cache(None)(lambda n: n)(3), functools.reduce(operator.add, range(5000)), list(map(lambda a: a + 1, range(9000)))
    list(itertools.chain(range(2000), itertools.islice(itertools.count(), 2000))), [list(g) for _, g in itertools.groupby(sorted(words(900)), key=lambda w: w[0])]
    list(itertools.permutations(range(7))), list(itertools.combinations(range(14), 4)), [i * j for i in range(150) for j in range(150) if i != j]
    for i in range(15000):
        try:
            {}["x"] if i % 5 == 0 else int("12x" if i % 7 == 0 else "12")
        except (KeyError, ValueError) as e:
            e.args
        with contextlib.suppress(ZeroDivisionError):
            1 // (i % 3)
    for i in range(3000):
        match {"t": i % 3, "v": [i, i + 1]}:
            case {"t": 0, "v": [a, *_]}:
                n = a
            case {"t": 1}:
                n = 1
            case _:
                n = 0


def use_structures():
    heap = []
    for i in range(9000):
        heapq.heappush(heap, (i * 7919 % 1000, i))
    while heap:
        heapq.heappop(heap)
    d = {}
    for w in words(20000):
        d[w] = d.get(w, 0) + 1
    for i in range(60000):
        d[i] = i
    for k, v in list(d.items()):
        if v == 1:
            del d[k]
    q = collections.deque(maxlen=50)
    for i in range(9000):
        q.append(i), q.rotate(1)
    ls = []
    for i in range(3000):
        bisect.insort(ls, i * 31 % 997)
    ls.sort(), ls.reverse(), ls[10:20], sum(ls), max(ls), any(ls), set(ls) & set(range(99)), [*ls, *ls], {**d}
    graphlib.TopologicalSorter({i: [i + 1, i + 2] for i in range(300)}).prepare()
    [ipaddress.ip_address(i * 7919) in ipaddress.ip_network("10.0.0.0/8") for i in range(300)]


def use_bytes():
    blob = random.randbytes(150000)
    for n in ("md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b"):
        hashlib.new(n, blob).hexdigest()
    hmac.new(b"k", blob, "sha256").hexdigest(), base64.b64decode(base64.b64encode(blob)), blob.hex(), uuid.uuid5(uuid.NAMESPACE_URL, "x")
    for i in range(3000):
        hashlib.sha256(b"%d" % i).hexdigest()


def use_time():
    d = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
    for i in range(3000):
        d += datetime.timedelta(hours=7)
        d.isoformat(), d.strftime("%Y-%m-%d %H:%M"), datetime.datetime.fromisoformat(d.isoformat()), d.date(), d.timestamp(), d.weekday()
    for i in range(300):
        datetime.datetime.strptime("2024-02-03 04:05", "%Y-%m-%d %H:%M")


def use_compiler():
    for module in (json.decoder, textwrap, dataclasses):
        with open(module.__file__, encoding="utf-8") as f:
            compile(f.read(), "workflow.py", "exec")


for _ in range(3):
    for part in (use_json, use_re, use_objects, use_text, use_numbers, use_calls, use_structures, use_bytes, use_time, use_compiler):
        part()
