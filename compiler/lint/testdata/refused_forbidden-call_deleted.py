from runlace_types import Ctx

open = print
del open
open("x")  # ! forbidden-call


def exec(x: str) -> str:
    return x


def forget() -> None:
    global exec
    del exec


def run(ctx: Ctx) -> dict[str, object]:
    forget()
    exec("x")  # ! forbidden-call
    return {}
