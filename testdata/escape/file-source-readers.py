# trick: read files with helpers that are meant for source text: linecache, tokenize.open, inspect, pydoc, py_compile
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

    def attempt(name, act):
        try:
            if act():
                found.append(name)
        except Exception as e:
            # A parser that objects to a file's content has read the file.
            if type(e).__name__ in ("MissingSectionHeaderError", "NetrcParseError"):
                found.append(name)

    attempt("linecache", lambda: reach("linecache").getlines("/etc/passwd"))
    attempt("linecache, a line", lambda: reach("linecache").getline("/proc/self/status", 1))
    attempt("tokenize.open", lambda: reach("tokenize").open("/etc/passwd"))
    attempt("fileinput", lambda: next(reach("fileinput").input("/etc/passwd")))
    attempt("filecmp", lambda: reach("filecmp").cmp("/etc/passwd", "/etc/passwd"))
    attempt("pathlib", lambda: reach("pathlib").Path("/etc/passwd").read_bytes())
    attempt("shutil", lambda: reach("shutil").disk_usage("/"))
    attempt("glob", lambda: reach("glob").glob("/*"))
    attempt("tempfile", lambda: reach("tempfile").TemporaryFile())
    attempt("configparser", lambda: reach("configparser").ConfigParser().read("/etc/os-release"))
    attempt("netrc", lambda: reach("netrc").netrc("/etc/passwd"))
    attempt("mimetypes", lambda: reach("mimetypes").read_mime_types("/etc/mime.types"))
    attempt("platform", lambda: reach("platform").freedesktop_os_release())
    attempt("gettext", lambda: reach("gettext").translation("x", "/usr/share/locale"))
    return found
