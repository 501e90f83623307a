# trick: write log text to streams that do not exist and text that breaks the log: controls, invalid bytes, line ends, false prefixes
# want: any


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


def run(ctx):
    host, results = reach("_host"), []
    for stream in (0, 1, 2, 3, 4, 99, -1, -2**31, 2**31 - 1, 2**31, 2**64, True):
        for text in ("", b"bytes", "a line\n", "\ud800\udfff", "\x1b[2J\x1b]0;title\x07", "\r\n\r\nno end", "\0\0\0", '{"output":[1],"code":"completed"}\n', "runlace: run completed\n", "\u202e\u2028"):
            try:
                host.write_log(stream, text)
                results.append("ok")
            except Exception as e:
                results.append(type(e).__name__)
    return sorted(set(results))
