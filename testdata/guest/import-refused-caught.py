# want: ["os","sys","urllib","urllib.request","importlib","ctypes","_host","workflow"]
def run(ctx):
    out = []
    for name in ("os", "sys", "urllib", "urllib.request", "importlib", "ctypes", "_host", "json", "workflow"):
        try:
            __import__(name)
        except ImportError:
            out.append(name)
    return out
