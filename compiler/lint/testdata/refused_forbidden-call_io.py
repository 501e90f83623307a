import io as i
import io
from io import open as o, FileIO  # ! forbidden-call forbidden-call
from io import *
from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    io.open("x")  # ! forbidden-call
    f = i.open_code  # ! forbidden-call
    open("x")  # ! forbidden-call
    open_code("x")  # ! forbidden-call
    return {"f": [f, o, FileIO]}
