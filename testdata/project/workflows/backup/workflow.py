"""Copies the texts of a folder into another, and reads each copy back to see that it is the same."""

import hashlib

from runlace_types import Ctx, Output, ToolError


def run(ctx: Ctx) -> Output:
    source, target = ctx.inputs["source"], ctx.inputs["target"]
    listing = ctx.files.list_directory(path=source)["content"]
    names = sorted(line.removeprefix("[FILE] ") for line in listing.splitlines() if line.startswith("[FILE] "))
    ctx.files.create_directory(path=target)
    sums: dict[str, str] = {}
    damaged: list[str] = []
    for name in names:
        text = ctx.files.read_text_file(path=f"{source}/{name}")["content"]
        ctx.files.write_file(path=f"{target}/{name}", content=text)
        try:
            copy = ctx.files.read_text_file(path=f"{target}/{name}")["content"]
        except ToolError:
            copy = None
        if copy != text:
            damaged.append(name)
        else:
            sums[name] = hashlib.sha256(text.encode()).hexdigest()
    ctx.files.write_file(path=f"{target}/SHA256SUMS", content="".join(f"{sums[name]}  {name}\n" for name in sorted(sums)))
    return {"copied": len(sums), "damaged": damaged}
