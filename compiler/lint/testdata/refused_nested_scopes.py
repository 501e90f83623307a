# What a name means depends on where it stands.
from runlace_types import Ctx


def shadowed(open: int) -> int:
    class Inner:
        size = open
        eval = 1

        def method(self) -> int:
            eval  # ! forbidden-call
            return open

    def deeper() -> int:
        nonlocal open
        open = 2
        return open

    def elsewhere() -> None:
        global open
        open("x")  # ! forbidden-call

    return Inner().method() + deeper()


def generic[eval](x: eval) -> eval:
    y: eval = x
    return y


type exec[T] = dict[str, exec[T]]


class Body:
    if shadowed:
        input = 1
    output = input  # ! forbidden-call
    listed = [compile for compile in range(2)]
    again = compile  # ! forbidden-call


def run(ctx: Ctx) -> dict[str, object]:
    getattr = {"é": [getattr for getattr in getattr]}
    return {"é": getattr, "é" + eval: 1}  # ! forbidden-call
