"""Merges settings: what a later file says goes over what an earlier one says."""

import json
from typing import Any, cast

from runlace_types import Ctx, Output


def merge(into: dict[str, Any], more: dict[str, Any], at: str, overridden: list[str]) -> None:
    for key in sorted(more):
        new, old = more[key], into.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            merge(cast(dict[str, Any], old), cast(dict[str, Any], new), f"{at}{key}.", overridden)
            continue
        if key in into and old != new:
            overridden.append(at + key)
        into[key] = new


def run(ctx: Ctx) -> Output:
    merged: dict[str, Any] = {}
    overridden: list[str] = []
    for path in ctx.inputs["sources"]:
        text = ctx.files.read_text_file(path=path)["content"]
        try:
            settings = json.loads(text)
        except json.JSONDecodeError as e:
            raise ValueError(f"{path} is not JSON, at line {e.lineno}") from e
        merge(merged, settings, "", overridden)
    text = json.dumps(merged, indent=2, sort_keys=True) + "\n"
    ctx.files.write_file(path=ctx.inputs["target"], content=text)
    return {"keys": len(merged), "overridden": overridden}
