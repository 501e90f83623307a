"""The modules that a workflow may import. The lint, the stubs and the guest read this one list."""

MODULES = (
    "__future__", "abc", "base64", "bisect", "calendar", "cmath", "collections", "contextlib", "copy", "csv", "dataclasses",
    "datetime", "decimal", "difflib", "enum", "fractions", "functools", "graphlib", "hashlib", "heapq", "hmac", "html", "io",
    "ipaddress", "itertools", "json", "math", "numbers", "operator", "pprint", "random", "re", "statistics", "string",
    "textwrap", "time", "typing", "unicodedata", "urllib.parse", "uuid", "zoneinfo", "runlace_types",
)

# What the interpreter's C code imports for its own use while it works for a workflow. It asks with an empty list.
_INTERPRETER = frozenset((
    "_compat_pickle", "_datetime", "_io", "_pydecimal", "_pylong", "_signal", "_strptime", "builtins", "codecs", "copyreg", "encodings",
    "importlib", "linecache", "pickle", "struct", "traceback", "warnings", "weakref", "zoneinfo._common", "zoneinfo._tzpath",
))

# Modules below these come with them (collections.abc, html.entities, json.decoder); urllib has other children.
_PACKAGES = frozenset(m for m in MODULES if "." not in m)
_DOTTED = {m.rpartition(".")[0]: m.rpartition(".")[2] for m in MODULES if "." in m}


def allowed(name: str, fromlist) -> bool:
    """Whether `import name`, or `from name import *fromlist`, stays within the list."""
    if name in _INTERPRETER:
        return isinstance(fromlist, list) and not fromlist
    if name in MODULES or name.partition(".")[0] in _PACKAGES:
        return True
    child = _DOTTED.get(name)
    return child is not None and bool(fromlist) and all(f == child for f in fromlist)
