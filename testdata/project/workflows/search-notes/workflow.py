"""Searches the library for a word, and answers one page of what it finds."""

from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    word = ctx.inputs["word"].lower()
    size, page = ctx.inputs["size"], ctx.inputs.get("page", 1)
    found = ctx.files.search_files(path="library", pattern="**/*.txt")["content"]
    paths = [] if found == "No matches found" else sorted(found.splitlines())
    hits: list[str] = []
    for path in paths:
        text = ctx.files.read_text_file(path=path)["content"]
        name = path.rpartition("/")[2]
        hits += [f"{name}:{number}: {line.strip()[:80]}" for number, line in enumerate(text.splitlines(), start=1) if word in line.lower()]
    pages = -(-len(hits) // size)
    if page > max(pages, 1):
        raise ValueError(f"there is no page {page}: {len(hits)} hits are {pages} pages")
    return {"hits": hits[(page - 1) * size : page * size], "page": page, "pages": pages, "total": len(hits)}
