package proof_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// part is a few lines of Python that add to the list out. In it $n is a number of its own, and $1 to $9 are random ones up to that digit times ten.
type part struct {
	imports string // lines
	top     string // at the top level of the module, once
	code    string
	heavy   bool // at most one of these in a workflow, and never in a loop
}

var parts = []part{
	// Reads, in loops and in branches that depend on them.
	{code: `sum$n = ctx.lab.add(a=$5, b=len(out))["sum"]
out.append(f"sum {sum$n}")`},
	{code: `for item$n in ctx.lab.items(n=$1)["items"]:
    for k$n in range(item$n["id"] % 3):
        out.append(f"{item$n['name']} {k$n} {item$n['size']}")`},
	{code: `if ctx.lab.add(a=len(out), b=$9)["sum"] % 2:
    out.append(str(ctx.lab.text(text="odd")))
else:
    out.append(str(ctx.lab.add(a=2, b=$3)["sum"]))`},
	{code: `out.append(str(ctx.lab.echo(value=[1, 2.5, "$4", None, {"b": 1, "a": 12345678901234567890}])["value"]))`},
	{code: `out.append(str(ctx.lab.raw(result={"content": [{"type": "text", "text": "$1"}, {"type": "text", "text": "zwei"}]})))`},
	// Acts.
	{code: `out.append(ctx.lab.note(text=f"note $n {len(out)}")["noted"])`},
	{code: `out.append(str(ctx.lab.erase(text=f"erase $n {len(out)}")))`},
	{code: `if len(out) % 3 != 1:
    ctx.lab.bare(text=f"bare $n {len(out)}")`},
	// Failures that are caught: of a tool, of the protocol, of the arguments, of the workflow itself.
	{imports: "from runlace_types import ToolError", code: `try:
    ctx.lab.fail(message="no $7", data={"n": len(out)})
except ToolError as e$n:
    out.append(f"{e$n.code} {e$n.message} {e$n.data} {e$n.tool}")`},
	{imports: "from runlace_types import ToolError", code: `try:
    ctx.lab.refuse(code=-32000 - $2, message="refused")
except ToolError as e$n:
    out.append(f"{e$n.code} {e$n.message}")`},
	{imports: "from typing import Any\nfrom runlace_types import ToolError", code: `wrong$n: Any = "one"
try:
    ctx.lab.add(a=wrong$n, b=$2)
except ToolError as e$n:
    out.append(f"{e$n.code} {e$n.message}")`},
	{code: `try:
    out.append(str(len(out) // (len(out) - len(out))))
except ZeroDivisionError as e$n:
    out.append(f"{e$n!r} {hash('$5')} {id(out)}")`},
	// Randomness and identities.
	{imports: "import random", code: `out.append(str([random.randrange($9) for _ in range(6)]))`},
	{imports: "import random", code: `deck$n = list(range($2))
random.shuffle(deck$n)
out.append(f"{deck$n[:5]} {random.gauss(0, 1)!r} {random.choice('abcdef')}")`},
	{imports: "import uuid", code: `out.append(str(uuid.uuid4()))`},
	{imports: "import random", code: `if random.random() < 0.5:
    out.append(str(ctx.lab.add(a=1, b=$6)["sum"]))
else:
    ctx.lab.note(text=f"tails $n {len(out)}")`},
	// Time.
	{imports: "import time", code: `time.sleep(0.$3)
out.append(f"{time.time_ns()} {time.monotonic()} {time.perf_counter()}")`},
	{imports: "from datetime import datetime, timedelta, timezone", code: `at$n = datetime.now(timezone.utc) + timedelta(hours=$5)
out.append(f"{at$n.isoformat()} {at$n:%A %j} {at$n.toordinal()}")`},
	{imports: "import time", code: `if time.time_ns() // 1000 % 2:
    out.append(str(ctx.lab.add(a=$1, b=1)["sum"]))
else:
    out.append(str(ctx.lab.text(text="even")))`},
	{imports: "from datetime import datetime\nfrom zoneinfo import ZoneInfo", code: `out.append(datetime.fromtimestamp(len(out) * 86400 * $9, ZoneInfo("Europe/Vienna")).isoformat())`},
	// Sets and dicts, in the order that they have, and sorted.
	{code: `set$n = {f"{word}{i}" for word in ("alpha", "beta", "gamma", "delta") for i in range(1 + $1 % 5)}
out.extend(set$n)
out.append(" ".join(sorted(set$n, key=lambda w: (w[-1], w))))`},
	{imports: "import uuid", code: `ids$n = {uuid.uuid4() for _ in range($1)}
for id$n in sorted(ids$n):
    out.append(id$n.hex[:8])`},
	{code: `dict$n: dict[str, int] = {}
for i$n, c$n in enumerate("the quick brown fox jumps"[: $2]):
    dict$n[c$n] = dict$n.get(c$n, 0) + i$n
out.append(str(dict$n | {"z": 1}))`},
	{imports: "from collections import Counter, defaultdict", code: `groups$n: defaultdict[int, list[str]] = defaultdict(list)
for w$n in "one two three four five six seven".split():
    groups$n[len(w$n)].append(w$n)
out.append(f"{dict(groups$n)} {Counter('mississippi').most_common(3)}")`},
	// Text, numbers, formats.
	{imports: "import unicodedata", code: `text$n = "Grüße, Ǆemal! ﬃ Ⅷ 漢字 👩‍🚀 \u0301e $5"
out.append(f"{unicodedata.normalize('NFKD', text$n)} {text$n.casefold()} {text$n[::-1]} {len(text$n.encode())}")`},
	{imports: "from decimal import ROUND_HALF_EVEN, Decimal\nfrom fractions import Fraction", code: `money$n = (Decimal("$9.$2") / 7).quantize(Decimal("0.0001"), ROUND_HALF_EVEN)
out.append(f"{money$n} {Decimal(2).sqrt()} {Fraction($7 + 1, 12)}")`},
	{imports: "import re", code: `out.append(re.sub(r"(\w)(\d+)", lambda m: f"{m[2]}{m[1]}", "a1 b22 c333 d$9"))
out.append(str(re.findall(r"(?P<key>[a-z]+)=(\d+)", "x=1, yy=22, zzz=$8")))`},
	{imports: "import json", code: `json$n = json.dumps({"b": [1, 1.1, 1e300, $9], "a": None, "ü": "漢"}, sort_keys=True, indent=1)
out.append(f"{json$n} {json.loads(json$n)}")`},
	{imports: "import math", code: `out.append(f"{math.sin($9)!r} {1.1 ** (1 + $5)!r} {math.fsum([0.1] * $3)!r} {math.comb(60, $2)}")`},
	{imports: "from dataclasses import asdict, dataclass, field", top: `@dataclass(order=True)
class Row:
    size: int
    name: str
    tags: list[str] = field(default_factory=list[str])`, code: `rows$n = [Row((i * 7 + $3) % 5, f"row {i}") for i in range(6)]
for row$n in sorted(rows$n)[:3]:
    row$n.tags.append("first")
    out.append(str(asdict(row$n)))`},
	{imports: "import heapq\nimport itertools", code: `heap$n = [(n * 37 + $9) % 11 for n in range(12)]
heapq.heapify(heap$n)
out.append(f"{heapq.nsmallest(4, heap$n)} {list(itertools.islice(itertools.permutations('abcd'), $2 % 20, 22))}")`},
	{imports: "import hashlib", code: `loops$n: list[list[object]] = [[] for _ in range(40)]
for loop$n in loops$n:
    loop$n.append(loop$n)
out.append(hashlib.sha256(repr(loops$n).encode()).hexdigest())`},
	// Big data: hundreds of kilobytes there and back.
	{heavy: true, imports: "import hashlib\nimport random", code: `big$n = "".join(random.choices("abcdefghij äöü漢😀", k=2000)) * (40 + $9)
back$n = str(ctx.lab.text(text=big$n))
out.append(f"{len(back$n)} {hashlib.sha256(back$n.encode()).hexdigest()} {back$n == big$n}")`},
	{heavy: true, code: `many$n = ctx.lab.items(n=2000 + 10 * $9)["items"]
out.append(str(sum(item["size"] for item in many$n if item["id"] % 7 == 3)))`},
	{heavy: true, code: `out.append(str(len(str(ctx.lab.huge(bytes=300000 + $9)))))`},
}

// ends are what a workflow does at last. Most just return.
var ends = []part{
	{imports: "import time", code: `if time.time_ns() // 1000 % 2:
    raise ValueError(f"odd after {len(out)}: {out[-1][:40]}")`},
	{code: `ctx.lab.fail(message="the end $n", data={"last": out[-1][:100]})`},
	{code: `spin$n = 0
while spin$n < 10**9:
    spin$n += len(out)`}, // its fuel runs out
}

// generated is the text of workflow number seed.
func generated(seed uint64) string {
	g := &generator{r: rand.New(rand.NewPCG(seed, 5)), imports: map[string]bool{"import hashlib": true, "from runlace_types import Ctx": true, "from runlace_types import Output": true}}
	g.lines(g.block(0, 5+g.r.IntN(6)), 1)
	if g.r.IntN(10) == 0 {
		g.lines(g.part(ends[g.r.IntN(len(ends))]), 1)
	}
	var b strings.Builder
	imports := []string{}
	for line := range g.imports {
		imports = append(imports, line)
	}
	slices.Sort(imports)
	for _, line := range imports {
		b.WriteString(line + "\n")
	}
	for _, t := range g.tops {
		b.WriteString("\n\n" + t + "\n")
	}
	b.WriteString("\n\ndef run(ctx: Ctx) -> Output:\n    out: list[str] = [\"begin\"]\n")
	b.WriteString(strings.Join(g.out, "\n"))
	b.WriteString(`
    print(len(out), out[-1][:200])
    return {"n": len(out), "digest": hashlib.sha256("\n".join(out).encode()).hexdigest(), "tail": [line[:200] for line in out[-3:]]}
`)
	return b.String()
}

type generator struct {
	r       *rand.Rand
	n       int
	heavy   int
	imports map[string]bool
	tops    []string
	out     []string
}

func (g *generator) lines(code []string, depth int) {
	for _, l := range code {
		g.out = append(g.out, strings.Repeat("    ", depth)+l)
	}
}

// block is some parts, one after the other, some of them within loops and branches.
func (g *generator) block(depth, count int) (code []string) {
	inside := func(head string, count int) {
		code = append(code, head)
		for _, l := range g.block(depth+1, count) {
			code = append(code, "    "+l)
		}
	}
	for range count {
		g.n++
		switch kind := g.r.IntN(10); {
		case kind == 0 && depth < 3:
			inside(fmt.Sprintf("for _ in range(%d):", 2+g.r.IntN(2)), 1+g.r.IntN(2))
		case kind == 1 && depth < 3:
			inside(fmt.Sprintf("if len(out) %% %d:", 2+g.r.IntN(3)), 1+g.r.IntN(2))
			inside("else:", 1)
		case kind == 2 && depth < 3:
			g.imports["from runlace_types import ToolError"] = true
			inside("try:", 1+g.r.IntN(2))
			code = append(code, fmt.Sprintf("    ctx.lab.fail(message=\"in a block %d\")", g.n), "except ToolError as error:", "    out.append(error.message)")
		default:
			p := parts[g.r.IntN(len(parts))]
			for p.heavy && (depth > 0 || g.heavy == 1) {
				p = parts[g.r.IntN(len(parts))]
			}
			if p.heavy {
				g.heavy++
			}
			code = append(code, g.part(p)...)
		}
	}
	return code
}

func (g *generator) part(p part) []string {
	for _, line := range strings.Split(p.imports, "\n") {
		// Each name alone, so that the same name is not imported twice.
		if from, names, ok := strings.Cut(line, " import "); ok {
			for _, n := range strings.Split(names, ", ") {
				g.imports[from+" import "+n] = true
			}
		} else if line != "" {
			g.imports[line] = true
		}
	}
	if p.top != "" && !slices.Contains(g.tops, p.top) {
		g.tops = append(g.tops, p.top)
	}
	g.n++
	code := strings.ReplaceAll(p.code, "$n", fmt.Sprint(g.n))
	for digit := 1; digit <= 9; digit++ {
		for what := fmt.Sprint("$", digit); strings.Contains(code, what); {
			code = strings.Replace(code, what, fmt.Sprint(1+g.r.IntN(10*digit)), 1)
		}
	}
	return strings.Split(code, "\n")
}
