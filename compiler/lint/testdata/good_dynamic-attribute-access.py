import operator
from operator import attrgetter, itemgetter, methodcaller
from runlace_types import Ctx


def vars(x: int) -> int:
    return x


def run(ctx: Ctx) -> dict[str, object]:
    locals = {"a": 1}
    rows = sorted([1j], key=attrgetter("real", "imag"))
    names = sorted(["b", "a"], key=methodcaller("upper"))
    return {"x": vars(1), "y": locals, "z": itemgetter(0)(rows), "n": names, "o": operator.attrgetter("real")(1), "h": hasattr(rows, "sort")}
