import numpy, pandas as pd  # ! import-not-allowed import-not-allowed
import asyncio  # ! import-not-allowed
from pathlib import Path  # ! import-not-allowed
import colections  # ! import-not-allowed
import builtins  # ! import-not-allowed
from builtins import open as o, getattr  # ! import-not-allowed
import json.tool  # ! import-not-allowed
import qwertyuiop.asdf  # ! import-not-allowed
from runlace_types import Ctx


def run(ctx: Ctx) -> dict[str, object]:
    import ast  # ! import-not-allowed
    return {"x": Path("x"), "o": o}
