# trick: walk every object that can be reached in search of an earlier run's texts
# want: nothing
# native: finds


def walk(limit=200000):
    """Every object that can be reached from the loaded modules and the collector's lists, what it has frozen included."""
    import json
    gc = json.codecs.sys.modules["gc"]
    skip = {id(gc), id(walk)}
    seen = {}
    todo = [json.codecs.sys.modules, object, *gc.get_objects()]
    skip |= {id(seen), id(todo), id(skip)}
    while todo and len(seen) < limit:
        thing = todo.pop()
        if id(thing) in seen or id(thing) in skip:
            continue
        seen[id(thing)] = thing
        todo += gc.get_referents(thing)
    return list(seen.values())


def needle():
    """What the polluting run plants, put together here so that this file does not hold it; a digit follows it there."""
    return "-".join(("RUN" + "lace".upper(), "noitullop"[::-1].upper(), ""))


def run(ctx):
    word, found, texts = needle(), set(), 0
    for o in walk():
        if type(o) is str:
            text = o
        elif type(o) in (bytes, bytearray):
            text = bytes(o[:2000]).decode("latin-1")
        else:
            continue
        texts += 1
        at = text.find(word)
        if at >= 0 and text[at + len(word):at + len(word) + 1].isdigit():
            found.add(text[at:at + 40])
            if len(found) > 5:
                break
    print(texts, "texts")
    return sorted(found)
