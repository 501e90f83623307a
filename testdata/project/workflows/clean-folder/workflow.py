"""Moves logs that are older than so many days into an archive, by the date in their names."""

import re
from datetime import date, datetime, timedelta, timezone

from runlace_types import Ctx, Output

DATED = re.compile(r"log-(\d{4})-(\d{2})-(\d{2})\.txt")


def run(ctx: Ctx) -> Output:
    folder = ctx.inputs["folder"]
    oldest = datetime.now(timezone.utc).date() - timedelta(days=ctx.inputs["keep_days"])
    listing = ctx.files.list_directory(path=folder)["content"]
    moved: list[str] = []
    kept = 0
    odd: list[str] = []
    for line in sorted(listing.splitlines()):
        kind, _, name = line.partition(" ")
        if kind != "[FILE]":
            continue
        match = DATED.fullmatch(name)
        if match is None:
            odd.append(name)
            continue
        if date(int(match[1]), int(match[2]), int(match[3])) >= oldest:
            kept += 1
            continue
        if not moved:
            ctx.files.create_directory(path=f"{folder}/archive")
        ctx.files.move_file(source=f"{folder}/{name}", destination=f"{folder}/archive/{name}")
        moved.append(name)
    return {"moved": moved, "kept": kept, "odd": odd}
