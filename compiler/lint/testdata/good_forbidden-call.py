# Names of one's own that are those of builtins, bound for certain where they are used.
import io
import re
from runlace_types import Ctx

compile = re.compile
help: str = "me"


def open(path: str, eval: int = 1) -> str:
    return path * eval if path else open(path)


def exit() -> None:
    print(open("x"), compile("x"), help)


class Door:
    def open(self) -> "Door":
        return self

    input = "x"
    both = input + "y"


def by_value(exec: int) -> int:
    quit = exec
    return quit + sum([input for input in range(3)]) + (lambda breakpoint: breakpoint)(1)


def outer() -> int:
    __import__ = 1

    def inner() -> int:
        return __import__

    return inner()


def run(ctx: Ctx) -> dict[str, object]:
    Door().open()
    with io.StringIO("x") as f:
        return {"x": f.read(), "input": [x for x in [1] if (eval := x)], "y": eval}
