from functools import partial
from runlace_types import Ctx

f = open  # ! forbidden-call
(g := eval)  # ! forbidden-call
open = open  # ! forbidden-call


def default(o=exec, *, p=__import__):  # ! forbidden-call forbidden-call
    return o, p


def decorated(x: eval) -> compile:  # ! forbidden-call forbidden-call
    return x


@exec  # ! forbidden-call
def late():
    return early()


def early():
    return eval  # ! forbidden-call


class Files(eval):  # ! forbidden-call
    o = eval  # ! forbidden-call
    eval = 1
    p = eval

    def method(self):
        return eval  # ! forbidden-call


def unsure():
    return input  # ! forbidden-call


if f:
    input = print

input("x")  # ! forbidden-call


def run(ctx: Ctx) -> dict[str, object]:
    for o in [exec]:  # ! forbidden-call
        o("x")
    for o, in zip([compile]):  # ! forbidden-call
        o("x")
    a = [e("1") for e in (eval, exec)]  # ! forbidden-call forbidden-call
    b = {k: exec for k in "x"}  # ! forbidden-call
    c = lambda o=breakpoint: o()  # ! forbidden-call
    d = partial(eval, "1")  # ! forbidden-call
    e = f"{eval}"  # ! forbidden-call
    with quit as q, (exit) as r:  # ! forbidden-call forbidden-call
        pass
    match exec:  # ! forbidden-call
        case eval():  # ! forbidden-call
            pass
    try:
        pass
    except help:  # ! forbidden-call
        pass
    global input
    input = 1
    return {"a": [a, b, c, d, e, q, r], "k": {"eval": eval}, "x": input}  # ! forbidden-call forbidden-call
