"""Compiles a workflow, runs it, and reports how it failed. Called from entry.c."""

import builtins
import inspect
import linecache
import sys
import traceback
import types

from _runlace.allowlist import MODULES, allowed
from _runlace.context import Ctx, ToolError
from _runlace.values import NotJSON, decode, encode

FILE = "workflow.py"
NAME = "workflow"

# Given up when memory has run out, so that there is some to report it with.
_reserve = [bytearray(1 << 20)]


class ImportRefused(ImportError):
    """An import of a module that is not on the allowlist."""

    __module__ = "builtins"    # tracebacks then show the name alone


class OutputInvalid(ValueError):
    """A return value that is not JSON."""

    __module__ = "builtins"


def _import(name, globals=None, locals=None, fromlist=(), level=0):
    if level:
        raise ImportRefused("a workflow is one file: relative imports have nothing to refer to")
    if not allowed(name, fromlist):
        raise ImportRefused(f"a workflow cannot import {name!r}. It can import: {', '.join(m for m in MODULES if m != '__future__')}", name=name)
    return builtins.__import__(name, globals, locals, fromlist)


def _workflow_module(any_import: bool) -> types.ModuleType:
    module = types.ModuleType(NAME)
    module.__file__ = FILE
    names = dict(vars(builtins))
    if not any_import:
        names["__import__"] = _import
    module.__builtins__ = names
    sys.modules[NAME] = module    # dataclasses and typing look their module up
    return module


def compile_workflow(source: str):
    """Returns (failed, marshalled code, or the error as JSON)."""
    import marshal

    try:
        if source.startswith("\ufeff"):
            source = source[1:]
        return False, marshal.dumps(compile(source, FILE, "exec", dont_inherit=True))
    except (MemoryError, RecursionError):    # how the parser and the compiler say so
        return True, encode({"code": "source-too-complex", "message": "the source is nested too deeply to be compiled: split its longest expressions and chains of elif"})
    except BaseException as e:
        return True, _report(e, source)


def run(code, source: str, inputs: str, any_import: bool):
    """Returns (failed, the output or the error as JSON)."""
    try:
        module = _workflow_module(any_import)
        exec(code, module.__dict__)
        function = module.__dict__.get("run")
        if not callable(function):
            return True, encode({"code": "missing-run", "message": "the workflow defines no function run(ctx)"})
        if isinstance(function, types.FunctionType) and not function.__code__.co_argcount and not function.__code__.co_flags & inspect.CO_VARARGS:
            return True, encode({"code": "missing-run", "message": "run takes no parameter: write def run(ctx)", "line": function.__code__.co_firstlineno})
        output = function(Ctx(decode(inputs)))
        try:
            return False, encode(output)
        except NotJSON as e:
            raise OutputInvalid(e.explain("output")) from None
        except RecursionError:
            raise OutputInvalid("output is nested too deeply") from None
    except BaseException as e:
        return True, _report(e, source)


def _code(e: BaseException) -> str:
    for kind, code in (
        (ToolError, "tool-error"), (ImportRefused, "import-refused"), (OutputInvalid, "output-invalid"), (MemoryError, "memory-limit"),
        (RecursionError, "recursion-limit"), (SystemExit, "exit"),
    ):
        if isinstance(e, kind):
            return code
    return "exception"


def _report(e: BaseException, source: str) -> bytes:
    if isinstance(e, MemoryError):
        _reserve.clear()
    elif isinstance(e, SyntaxError) and e.filename in (FILE, None) and _line(e) is None:    # None: null bytes have no place
        return encode(_syntax_error(e))
    report = {"code": _code(e), "message": _message(e), "type": type(e).__name__, "line": _line(e)}
    if isinstance(e, ToolError):
        report["data"] = {"code": _plain(e.code), "data": _plain(e.data)}
    if not isinstance(e, (MemoryError, OutputInvalid)):
        linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
        report["traceback"] = _traceback(e)
    return encode({k: v for k, v in report.items() if v is not None})


def _syntax_error(e: SyntaxError) -> dict:
    report = {"code": "syntax-error", "message": _text(e.msg), "type": type(e).__name__}
    if e.lineno:
        report["line"] = e.lineno
    if e.offset and e.offset > 0:
        report["column"] = e.offset
    return report


def _text(value) -> str:
    return str(value).encode("utf-8", "backslashreplace").decode()


def _message(e: BaseException) -> str:
    if isinstance(e, MemoryError):
        return "the workflow ran out of memory"
    if isinstance(e, SystemExit):
        return "the workflow called exit: return from run instead"
    try:
        text = _text(e)
    except Exception:
        text = "(the exception's own message could not be made)"
    if isinstance(e, (ToolError, ImportRefused, OutputInvalid, RecursionError)):
        return text
    return f"{type(e).__name__}: {text}" if text else type(e).__name__


def _line(e: BaseException):
    """The workflow's line that raised e, or called what did."""
    line, tb = None, e.__traceback__
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == FILE:
            line = tb.tb_lineno
        tb = tb.tb_next
    return line


def _plain(value):
    try:
        encode(value)
    except Exception:
        return None
    return value


# How much of a traceback is kept: of an endless recursion the first and the last frames tell all there is.
_FIRST, _LAST = 20, 40


def _traceback(e: BaseException):
    """The traceback with the workflow's frames only."""
    try:
        _keep_workflow(e, set())
        return _text("".join(traceback.format_exception(e)))
    except Exception:
        return None


def _keep_workflow(e, seen):
    """Drops all other frames from the tracebacks of e and of what led to it. Formatting them first would cost far more."""
    if e is None or id(e) in seen:
        return
    seen.add(id(e))
    frames, tb = [], e.__traceback__
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == FILE:
            frames.append(tb)
        tb = tb.tb_next
    if len(frames) > _FIRST + _LAST:
        frames[_FIRST:-_LAST] = []
    kept = None
    for tb in reversed(frames):
        kept = types.TracebackType(kept, tb.tb_frame, tb.tb_lasti, tb.tb_lineno)
    e.__traceback__ = kept
    _keep_workflow(e.__cause__, seen)
    _keep_workflow(e.__context__, seen)
    if isinstance(e, BaseExceptionGroup):
        for inner in e.exceptions:
            _keep_workflow(inner, seen)
