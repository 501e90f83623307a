# trick: start a program: system, popen, exec, spawn, subprocess, pty, multiprocessing
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
            result = act()
        except Exception:
            return
        found.append(f"{name} gave {result!r}")

    os = reach("os")
    attempt("system", lambda: os.system("true"))
    attempt("popen", lambda: os.popen("true").read())
    attempt("posix_spawn", lambda: os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0))
    attempt("spawnv", lambda: os.spawnv(0, "/bin/true", ["true"]))
    attempt("subprocess", lambda: reach("subprocess").run(["/bin/true"]).returncode)
    attempt("_posixsubprocess", lambda: reach("_posixsubprocess").fork_exec)
    attempt("multiprocessing", lambda: reach("_multiprocessing"))
    attempt("pty", lambda: reach("pty").spawn(["/bin/true"]))
    attempt("startfile", lambda: os.startfile("x"))
    attempt("webbrowser", lambda: reach("webbrowser").get("true").open("x"))
    return found
