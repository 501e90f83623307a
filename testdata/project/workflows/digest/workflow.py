"""Writes the morning's digest with a template: notes of the day, and the weather."""

from datetime import datetime, timezone
from string import Template

from runlace_types import Ctx, Output, ToolError


def run(ctx: Ctx) -> Output:
    today = datetime.now(timezone.utc).date().isoformat()
    template = Template(ctx.files.read_text_file(path="templates/digest.txt")["content"])
    weather = ctx.everything.get_structured_content(location=ctx.inputs["city"])
    try:
        notes = ctx.files.read_text_file(path=f"notes/{today}.txt")["content"]
    except ToolError:
        notes = "nothing noted"
    items = [f"  * {line}" for line in notes.splitlines() if line.strip()]
    text = template.substitute(
        day=today, city=ctx.inputs["city"], sky=weather["conditions"].lower(), degrees=weather["temperature"], items="\n".join(items), count=len(items)
    )
    path = f"digests/{today}.txt"
    ctx.files.write_file(path=path, content=text)
    return {"path": path, "items": len(items)}
