# trick: read the environment of the host by every name it has
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


def run(ctx):
    found = []
    os, posix = reach("os"), reach("posix")
    for name, value in (("os.environ", dict(os.environ)), ("posix.environ", dict(posix.environ)), ("os.environb", dict(getattr(os, "environb", {})))):
        if value:
            found.append(f"{name}: {len(value)} variables")
    for key in ("PATH", "HOME", "USER", "RUNLACE_HOME", "PWD", "SHELL", "LANG", "TZ", "PYTHONPATH", "PYTHONHOME", "TMPDIR", "TMP", "GOPATH", "SSH_AUTH_SOCK"):
        if os.getenv(key) is not None:
            found.append("getenv " + key)
    for text in ("$HOME", "${PATH}", "~", "~root"):
        if os.path.expanduser(os.path.expandvars(text)) != text:
            found.append("expanded " + text)
    return found
