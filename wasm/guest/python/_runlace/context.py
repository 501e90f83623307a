"""ctx: the inputs, the connectors and the model, as a workflow sees them."""

import _host
from _runlace.values import NotJSON, decode, encode


class ToolError(Exception):
    """A call that failed. A workflow may catch it.

    message says what happened, code names the kind of failure, data holds what the tool said besides (or None), tool is the
    tool's connector and its name on the wire (empty when no tool was called).
    """

    __module__ = "runlace_types"

    def __init__(self, message: str = "", code: str = "tool-error", data=None, tool: str = ""):
        super().__init__(message)
        self.message, self.code, self.data, self.tool = message, code, data, tool


def _send(function, request: dict, name: str) -> bytes:
    try:
        body = encode(request)
    except NotJSON as e:
        e.path = e.path[1:] if e.path and e.path[0] == "arguments" else e.path
        raise TypeError(e.explain(f"the arguments of {name}: arguments")) from None
    try:
        return function(body)
    except OverflowError:
        raise ToolError(f"the arguments of {name} take {len(body)} bytes, more than the limit: send less at a time", "arguments-too-large") from None


def _value(answer: bytes):
    answer = decode(answer)
    error = answer.get("error")
    if error is not None:
        raise ToolError(error["message"], error["code"], error.get("data"), error.get("tool", ""))
    return answer["value"]


def _call(function, request: dict, name: str):
    return _value(_send(function, request, name))


class _Tool:
    __slots__ = ("_connector", "_name")

    def __init__(self, connector, name):
        self._connector, self._name = connector, name

    def __call__(self, /, *args, **kwargs):
        if args:
            raise TypeError(f"{self!r} takes keyword arguments only: write the parameter's name before each value")
        return _call(_host.call_tool, {"connector": self._connector, "tool": self._name, "arguments": kwargs}, repr(self))

    def __repr__(self):
        return f"ctx.{self._connector}.{self._name}"


class _Connector:
    __slots__ = ("_name",)

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Tool(self._name, name)

    def __repr__(self):
        return f"ctx.{self._name}"


class Ctx:
    """What run(ctx) is given."""

    def __init__(self, inputs):
        self.inputs = inputs

    def ai(self, *, system: str, user: str, schema=None):
        """Asks the model: text, or with a schema the value that it describes."""
        request = {"system": system, "user": user}
        if schema is not None:
            request["schema"] = schema
        return _call(_host.ask_model, request, "ctx.ai")

    def media(self, handle: str) -> bytes:
        """The bytes behind a handle, as results of tools have them in place of images, audio and files."""
        if not isinstance(handle, str):
            raise TypeError(f"ctx.media takes a handle, a text that begins with media:sha256:, and not a value of type {type(handle).__name__}")
        answer = _send(_host.read_media, {"handle": handle}, "ctx.media")
        return answer[1:] if answer.startswith(b"\0") else _value(answer)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Connector(name)

    def __repr__(self):
        return "ctx"
