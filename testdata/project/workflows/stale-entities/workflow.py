"""Finds what nobody has seen for long in the knowledge graph, and removes it if asked to."""

from datetime import date, datetime, timedelta, timezone

from runlace_types import Ctx, Output


def last_seen(observations: list[str]) -> date | None:
    days = [date.fromisoformat(o.removeprefix("seen: ")) for o in observations if o.startswith("seen: ")]
    return max(days, default=None)


def run(ctx: Ctx) -> Output:
    limit = datetime.now(timezone.utc).date() - timedelta(days=ctx.inputs["days"])
    graph = ctx.memory.read_graph()
    stale: list[str] = []
    undated = 0
    for entity in graph["entities"]:
        seen = last_seen(entity["observations"])
        if seen is None:
            undated += 1
        elif seen < limit:
            stale.append(entity["name"])
    stale.sort()
    loose = sorted(relation["from_"] for relation in graph["relations"] if relation["to"] in stale and relation["from_"] not in stale)
    if stale and ctx.inputs.get("remove", False):
        ctx.memory.delete_entities(entityNames=stale)
    return {"stale": stale, "undated": undated, "loses_a_link": loose}
