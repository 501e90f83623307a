"""Last: forgets the builder's machine, and what the warm-up left behind."""
import decimal, gc, io, linecache, os, random, sys, threading, uuid
import importlib._bootstrap_external as external

# A module that is not loaded does not exist. (Built-in and frozen ones can still be found.)
sys.meta_path[:] = [f for f in sys.meta_path if f is not external.PathFinder]
sys.path[:] = []
sys.path_hooks[:] = []
sys.path_importer_cache.clear()
sys.argv[:] = []

os.environ.clear()
sys.stdin = sys.__stdin__ = io.StringIO()

# What threading makes of functions that rt_freeze removes from sys.
for name in ("settrace", "setprofile", "settrace_all_threads", "setprofile_all_threads"):
    threading.__dict__.pop(name, None)

sys.modules.pop("workflow", None)
linecache.cache.clear()
uuid._last_timestamp = None
uuid._node = None
decimal.setcontext(decimal.DefaultContext.copy())
random.seed(0)
sys.unraisablehook = sys.__unraisablehook__
sys.excepthook = sys.__excepthook__
gc.collect()
