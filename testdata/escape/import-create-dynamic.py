# trick: load a shared library as an extension module
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
    imp, found = reach("_imp"), []

    class Spec:
        name, parent, loader, submodule_search_locations = "m", None, None, None

    for path in ("/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/x86_64-linux-gnu/libc.so.6", "/lib64/libc.so.6", "libc.so.6", "libm.dylib", "kernel32.dll"):
        spec = Spec()
        spec.origin = path
        try:
            imp.create_dynamic(spec)
            found.append(path)
        except AttributeError:
            continue
        except ImportError as e:
            # This answer comes after the library was opened.
            if "does not define module export function" in str(e):
                found.append("opened " + path)
    return found
