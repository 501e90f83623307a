from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    open("x")  # ! forbidden-call
    exec("x")  # ! forbidden-call
    eval("x")  # ! forbidden-call
    __import__("os")  # ! forbidden-call
    compile("x", "y", "exec")  # ! forbidden-call
    input("really?")  # ! forbidden-call
    breakpoint()  # ! forbidden-call
    exit()  # ! forbidden-call
    quit()  # ! forbidden-call
    help(run)  # ! forbidden-call
    return {}
