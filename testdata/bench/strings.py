"""Text: building, splitting, searching, replacing, formatting, encoding, Unicode."""

import hashlib
import textwrap
import unicodedata


def run(ctx):
    words = [f"w{i * 7919 % 1000}ä{i}" for i in range(6000)]
    digest = hashlib.sha256()
    text = ""
    for w in words[:3000]:
        text += w + " "
    for w in words:
        if w.startswith("w1") or w.endswith("9") or "77" in w:
            digest.update(w.upper().title().replace("Ä", "ae").strip("w").encode())
    lines = [f"{i:>6}|{w:<12}|{i / 7:9.3f}|{w!r}|{i:x}" for i, w in enumerate(words)]
    digest.update("\n".join(lines).encode())
    digest.update(" ".join(reversed(text.split())).encode("utf-16-le"))
    digest.update("%s-%d-%5.1f" .encode() % (b"a", 5, 2.5))
    digest.update("\n".join(textwrap.wrap(text[:6000], 70)).encode())
    digest.update(unicodedata.normalize("NFD", text).encode())
    table = str.maketrans("0123456789", "abcdefghij")
    digest.update(text.translate(table).encode())
    found = 0
    for i in range(1500):
        found += text.find(f"w{i}") + text.count(f"ä{i} ", 0, 4000)
    return f"{digest.hexdigest()} {found}"
