package doctor

import (
	"context"
	"encoding/json"
	"time"

	"github.com/runlace/runlace/runtime"
)

// probe is a workflow that tries to reach something, and returns what it has reached: a list, which has to be empty.
type probe struct {
	name   string
	detail string // what an empty list means
	source string
}

// reach gets at a module that the allowlist does not have, as hostile code would: through a module that is on it.
const reach = `
import json

def reach(name):
    modules = json.codecs.sys.modules
    if modules.get(name) is not None:
        return modules[name]
    try:
        return modules["_frozen_importlib"]._gcd_import(name)
    except BaseException:
        return None
`

var probes = []probe{
	{"files", "nothing can be opened, listed or written, with or without Python's own functions", reach + `
def run(ctx):
    reached = []
    def attempt(what, function, *args):
        try:
            reached.append(f"{what}: {function(*args)!r}"[:100])
        except (OSError, NotImplementedError, NameError, AttributeError):
            pass
    posix, io = reach("posix"), reach("_io")
    for path in ("/", ".", "/etc/passwd", "/proc/self/environ", "/dev/null", "C:\\Windows\\win.ini"):
        attempt("open " + path, lambda: open(path).read())
        attempt("io.open " + path, lambda: io.open(path, "rb").read())
        attempt("posix.open " + path, lambda: posix.open(path, 0))
        attempt("posix.stat " + path, lambda: posix.stat(path))
        attempt("posix.listdir " + path, lambda: posix.listdir(path))
    attempt("write", lambda: open("runlace-doctor", "w"))
    attempt("mkdir", lambda: posix.mkdir("runlace-doctor"))
    for fd in range(3, 20):
        attempt(f"read descriptor {fd}", lambda: posix.read(fd, 10))
        attempt(f"write descriptor {fd}", lambda: posix.write(fd, b"x"))
    return reached
`},
	{"environment", "no variables, no arguments, no user", reach + `
def run(ctx):
    reached = []
    posix, sys = reach("posix"), reach("sys")
    environ = getattr(posix, "environ", {})
    if environ:
        reached.append(f"{len(environ)} variables")
    if any(sys.argv) or len(sys.orig_argv) > 1:
        reached.append(f"arguments: {sys.argv} {sys.orig_argv}")
    for name in ("getlogin", "getuid", "gethostname", "uname"):
        try:
            got = getattr(posix, name)()
        except (OSError, AttributeError):
            continue
        if name != "uname" or got.nodename not in ("", "(none)", "localhost"):
            if got:
                reached.append(f"{name}: {got}")
    return reached
`},
	{"network", "there is no module for sockets", reach + `
def run(ctx):
    reached = [name for name in ("_socket", "socket", "select", "_ssl", "ssl") if reach(name) is not None]
    for name in ("socket", "urllib.request", "http.client"):
        try:
            __import__(name)
            reached.append("import " + name)
        except ImportError:
            pass
    return reached
`},
	{"processes", "no processes, no threads, no signals to others", reach + `
def run(ctx):
    reached = [name for name in ("_posixsubprocess", "_ctypes", "ctypes", "mmap") if reach(name) is not None]
    posix, thread = reach("posix"), reach("_thread")
    for name, args in (("fork", ()), ("system", ("true",)), ("execv", ("/bin/true", ["true"])), ("kill", (1, 0)), ("posix_spawn", ("/bin/true", ["true"], {}))):
        try:
            reached.append(f"{name}: {getattr(posix, name)(*args)!r}")
        except (OSError, AttributeError, NotImplementedError):
            pass
    try:
        reached.append(f"thread: {thread.start_new_thread(print, ())!r}")
    except (RuntimeError, AttributeError, NotImplementedError):
        pass
    return reached
`},
	{"clock", "stands at the run's start, and only sleeping moves it", `
import time, datetime

def run(ctx):
    reached = []
    def expect(what, got, want):
        if got != want:
            reached.append(f"{what} is {got!r}, not {want!r}")
    start = 1_000_000_000 * 10**9
    expect("time", time.time_ns(), start)
    expect("now", datetime.datetime.now(datetime.timezone.utc).isoformat(), "2001-09-09T01:46:40+00:00")
    monotonic, cpu = time.monotonic_ns(), time.process_time_ns()
    sum(range(1_000_000))
    expect("time after work", time.time_ns(), start)
    expect("monotonic time after work", time.monotonic_ns(), monotonic)
    expect("process time after work", time.process_time_ns(), cpu)
    time.sleep(3600)
    expect("time after an hour's sleep", time.time_ns(), start + 3600 * 10**9)
    expect("monotonic time after it", time.monotonic_ns(), monotonic + 3600 * 10**9)
    expect("time zone", (time.tzname[0], time.timezone), ("UTC", 0))
    return reached
`},
}

var probeStart = time.Unix(1_000_000_000, 0)

func (p probe) check(ctx context.Context, e *runtime.Engine) Check {
	name := "isolation " + p.name
	r, err := run(ctx, e, p.source, runtime.Job{Seed: 1, At: probeStart})
	switch {
	case err != nil:
		return verdict(name, "", err.Error())
	case r.Err != nil:
		return verdict(name, "", r.Err.Error())
	}
	var reached []string
	if err := json.Unmarshal(r.Output, &reached); err != nil {
		return verdict(name, "", err.Error())
	}
	return verdict(name, p.detail, reached...)
}

// leftovers runs a workflow that leaves traces wherever it can, and one that looks for them.
func leftovers(ctx context.Context, e *runtime.Engine) Check {
	const name = "isolation leftovers"
	const leave = `
import json, math, decimal, random

def run(ctx):
    sys = json.codecs.sys
    math.trace = sys.trace = "left"
    sys.modules["trace_of_doctor"] = math
    json.codecs.builtins.trace = "left"
    json.loads = None
    decimal.getcontext().prec = 3
    random.seed(1)
`
	const look = `
import json, math, decimal

def run(ctx):
    sys = json.codecs.sys
    found = []
    for what, there in (
        ("an attribute of math", hasattr(math, "trace")), ("an attribute of sys", hasattr(sys, "trace")), ("a module", "trace_of_doctor" in sys.modules),
        ("a builtin", hasattr(json.codecs.builtins, "trace")), ("a replaced function", json.loads is None),
        ("the decimal context", decimal.getcontext().prec != 28),
    ):
        if there:
            found.append(what)
    return found
`
	if r, err := run(ctx, e, leave, runtime.Job{}); err != nil {
		return verdict(name, "", err.Error())
	} else if r.Err != nil {
		return verdict(name, "", r.Err.Error())
	}
	return probe{"leftovers", "a run finds nothing of the one before it", look}.check(ctx, e)
}
