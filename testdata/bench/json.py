"""JSON: reads and writes a page of records as an API returns it."""

import hashlib
import json


def run(ctx):
    page = [
        {"id": i, "name": f"Customer {i}", "email": f"c{i}@example.org", "balance": i * 1.25, "active": i % 3 == 0, "parent": None,
         "tags": ["new", "größer", f"t{i % 7}"], "address": {"street": f"{i} Main St.\n", "zip": f"{i:05d}", "geo": [i / 8, -i / 16]}}
        for i in range(400)
    ]
    digest = hashlib.sha256()
    for _ in range(5):
        text = json.dumps(page)
        page = json.loads(text)
        digest.update(text.encode())
        digest.update(json.dumps(page, indent=1, sort_keys=True, ensure_ascii=False).encode())
    return digest.hexdigest()
