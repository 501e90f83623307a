# want: nothing
# A number of more digits than a float has is a float all the same.
import copy, dataclasses, decimal, json, math, statistics, typing

@dataclasses.dataclass
class Box:
    x: float

def run(ctx):
    text = "0.1234567890123456789012345"
    x = ctx.test.answer(json=text)
    large, small = ctx.test.answer(json="1e400"), ctx.test.answer(json="-1e-400")
    near = 0.1234567890123456789012345
    found = []
    def check(what, ok):
        if not ok:
            found.append(what)
    check("kind", isinstance(x, float) and type(x).__name__ == "exact_float" and type(x).__module__ == "runlace_types")
    check("equal", x == near and hash(x) == hash(near) and not x < near and x < 1 and {x: 1}[near] == 1)
    check("spelled", str(x) == repr(x) == f"{x}" == text and f"{x:.3f}" == "0.123" and "%.2f" % x == "0.12")
    check("decimal", decimal.Decimal(str(x)) * 10 == decimal.Decimal("1.234567890123456789012345"))
    for name, value in {"+": x + 1, "-": -x, "pos": +x, "float": float(x), "abs": abs(x), "round": round(x, 3), "*": 1 * x, "/": x / 1, "**": x ** 1, "sum": sum([x]),
                        "type": type(x)(x), "fromhex": type(x).fromhex("0x1p3"), "mean": statistics.mean([x, 1.0]), "fmean": statistics.fmean([x])}.items():
        check(name, type(value) is float)
    check("kept", copy.copy(x) is x and copy.deepcopy([x])[0] is x and dataclasses.asdict(Box(x))["x"] is x and max([x, 0]) is x and sorted([x, 0])[1] is x)
    check("large", large == math.inf and large > 1e308 and str(large) == "1e400")
    check("small", small == 0 and math.copysign(1, small) == -1)
    check("json", json.dumps(x) == repr(near))
    try:
        x.text = "1"
        found.append("set")
    except AttributeError:
        pass
    try:
        class Odd(type(x)):
            pass
        found.append("derived")
    except TypeError:
        pass
    match x:
        case float():
            pass
        case _:
            found.append("match")
    return found
