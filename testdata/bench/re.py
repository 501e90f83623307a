"""Regular expressions: findall, sub with a function, finditer with groups, split, a search that backtracks."""

import re


def run(ctx):
    text = "\n".join(
        f"2024-{i % 12 + 1:02d}-{i % 28 + 1:02d} {i % 24:02d}:{i % 60:02d} [{'WARN' if i % 5 else 'ERROR'}] user{i}@host{i % 9}.example.org "
        f"took {i * 37 % 1000}.{i % 100:02d} ms; path=/api/v{i % 3}/items/{i}?q=a%20b"
        for i in range(400)
    )
    mails = re.findall(r"\b([\w.]+)@([\w.]+\.org)\b", text)
    swapped = re.sub(r"(\d{4})-(\d\d)-(\d\d)", lambda m: f"{m[3]}.{m[2]}.{m[1]}", text)
    took = sum(float(m["ms"]) for m in re.finditer(r"\[(?P<level>[A-Z]+)\].*?took (?P<ms>\d+\.\d+) ms", text))
    parts = re.split(r"[;\s]+", swapped)
    slow = sum(1 for line in text.split("\n") if re.search(r"(?:\w+\s?)+\?q=(?:[^&]*)b$", line))
    paths = re.compile(r"path=(?:/(\w+))+").findall(text)
    return f"{len(mails)} {mails[-1]} {took:.2f} {len(parts)} {parts[1777]} {slow} {len(paths)} {paths[-1]}"
