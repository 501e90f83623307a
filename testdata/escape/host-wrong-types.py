# trick: call the host functions with wrong numbers and types of arguments, strided and released buffers, and hostile objects
# want: nothing


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


class Buffer:
    def __buffer__(self, flags):
        raise RuntimeError("no buffer for you")

    def __len__(self):
        return -1

    def __index__(self):
        return 2**70

    def __str__(self):
        raise SystemExit("from __str__")


def run(ctx):
    host, found = reach("_host"), []
    released = memoryview(b"{}")
    released.release()
    grid = memoryview(b"abcdefgh").cast("B", (2, 4))
    values = [None, 1, -1, "text", "\ud800", [], {}, (), 1.5, Buffer(), Buffer, released, memoryview(b"abcdef")[::2], memoryview(b"abcdef")[::-1], grid, memoryview(b"abcdefgh").cast("Q"),
              bytearray(b"{}"), object(), host, run, 2**70, True, ctx]
    for name in dir(host):
        function = getattr(host, name)
        if not callable(function) or name.startswith("__") or name == "encode":
            continue
        for args in [()] + [(v,) for v in values] + [(v, v) for v in values] + [(1, v) for v in values] + [(v, b"x") for v in values] + [(1, b"x", 3), (b"{}", b"{}", b"{}")]:
            try:
                result = function(*args)
            except Exception:
                continue
            if isinstance(result, (bytes, str)) and result and (b'"error"' if isinstance(result, bytes) else '"error"') not in result:
                found.append(f"{name}{str(args)[:40]} gave {str(result)[:60]}")
        for keywords in ({"request": b"{}"}, {"x": 1}, {"": 2}):
            try:
                function(**keywords)
                found.append(f"{name} took {keywords}")
            except TypeError:
                pass
    return found
