# trick: send the host requests that are not what it expects: no JSON, wrong types, missing and doubled keys, bad UTF-8
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


def run(ctx):
    host, found = reach("_host"), []
    requests = [b"", b"null", b"[]", b"{}", b"1", b'"x"', b"{", b"\xff\xfe", b'{"connector":1,"tool":[],"arguments":null}', b'{"connector":"a","connector":"b","tool":"c"}',
                b'{"connector":"\\ud800","tool":"\\udfff","arguments":{}}', b"\0" * 100, b'{"connector":"a\\u0000b","tool":"c","arguments":{}}', b'{"tool":"x"}{"tool":"y"}',
                b'{"connector":"a","tool":"b","arguments":{"n":' + b"9" * 5000 + b"}}", b'{"connector":"a","tool":"b","arguments":{"n":1e99999}}', b"true" + b" " * 10000,
                b'{"connector":"a","tool":"b","arguments":[1,2]}', b'{"Connector":"a","TOOL":"b"}', b'\xef\xbb\xbf{"connector":"a","tool":"b","arguments":{}}', b'{"connector":"a","tool":"b","extra":{}}']
    for request in requests:
        for name in ("call_tool", "ask_model"):
            try:
                answer = getattr(host, name)(request)
            except Exception as e:
                print(name, request[:40], type(e).__name__, e)
                continue
            print(name, request[:40], answer[:80])
            if b'"error"' not in answer:
                found.append(f"{name} {request[:40]!r} answered {answer[:60]!r}")
    return found
