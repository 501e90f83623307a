# trick: use zipimport and a zip archive as a way to a file
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
    try:
        zipimport = reach("zipimport")
    except ImportError:
        return found
    for path in ("/etc/passwd", "/usr/lib/python3/dist-packages.zip", "/"):
        try:
            zipimport.zipimporter(path)
        except (ImportError, OSError) as e:
            # Natively "not a Zip file" tells that the file was read.
            if "not a Zip file" in str(e) and path == "/etc/passwd":
                try:
                    zipimport._bootstrap_external._path_stat(path)
                    found.append("the archive reader saw " + path)
                except OSError:
                    pass
            continue
        found.append("zipimporter " + path)
    return found
