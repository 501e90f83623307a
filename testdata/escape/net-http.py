# trick: fetch something over HTTP, FTP, SMTP or by an opener of urllib, on the loopback address only
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
            act()
        except (ImportError, AttributeError):
            return
        except OSError as e:
            # A refused connection means that the network was asked.
            if "refused" in str(e).lower():
                found.append(name + " asked the network")
            return
        found.append(name)

    attempt("urlopen", lambda: reach("urllib.request").urlopen("http://127.0.0.1:9/", timeout=1))
    attempt("file url", lambda: reach("urllib.request").urlopen("file:///etc/passwd"))
    attempt("http.client", lambda: reach("http.client").HTTPConnection("127.0.0.1", 9, timeout=1).connect())
    attempt("ftplib", lambda: reach("ftplib").FTP("127.0.0.1", timeout=1))
    attempt("smtplib", lambda: reach("smtplib").SMTP("127.0.0.1", 9, timeout=1))
    attempt("socket", lambda: reach("socket").create_connection(("127.0.0.1", 9), 1))
    return found
