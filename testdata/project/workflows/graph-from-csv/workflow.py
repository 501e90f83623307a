"""Builds a knowledge graph of a table of people: who they are, and where they work. What is known already is left alone."""

import csv
import io

from runlace_types import Ctx, Output


def run(ctx: Ctx) -> Output:
    text = ctx.files.read_text_file(path=ctx.inputs["table"])["content"]
    rows = list(csv.DictReader(io.StringIO(text)))
    firms = sorted({row["firm"] for row in rows})
    names = sorted(row["name"] for row in rows)
    graph = ctx.memory.open_nodes(names=firms + names)
    known = {entity["name"] for entity in graph["entities"]}
    linked = {(relation["from_"], relation["to"]) for relation in graph["relations"]}
    fresh = [firm for firm in firms if firm not in known]
    people = [row for row in rows if row["name"] not in known]
    if fresh:
        ctx.memory.create_entities(entities=[{"name": firm, "entityType": "firm", "observations": []} for firm in fresh])
    if people:
        ctx.memory.create_entities(
            entities=[
                {"name": row["name"], "entityType": "person", "observations": [f"role: {row['role']}", f"seen: {row['seen']}"]} for row in people
            ]
        )
    links = [row for row in rows if (row["name"], row["firm"]) not in linked]
    if links:
        ctx.memory.create_relations(relations=[{"from_": row["name"], "to": row["firm"], "relationType": "works at"} for row in links])
    return {"rows": len(rows), "firms": len(fresh), "people": len(people), "links": len(links)}
