"""ctx: the inputs, the connectors and the model, as a workflow sees them."""

import _host
from _runlace.values import NotJSON, decode, encode


class ToolError(Exception):
    """A call that failed. A workflow may catch it.

    message says what happened, code names the kind of failure, data holds what the tool said besides (or None).
    """

    __module__ = "runlace_types"

    def __init__(self, message: str = "", code: str = "tool-error", data=None):
        super().__init__(message)
        self.message, self.code, self.data = message, code, data


def _call(function, request: dict, name: str):
    try:
        body = encode(request)
    except NotJSON as e:
        e.path = e.path[1:] if e.path and e.path[0] == "arguments" else e.path
        raise TypeError(e.explain(f"the arguments of {name}: arguments")) from None
    try:
        answer = decode(function(body))
    except OverflowError:
        raise ToolError(f"the arguments of {name} take {len(body)} bytes, more than the limit: send less at a time", "arguments-too-large") from None
    error = answer.get("error")
    if error is not None:
        raise ToolError(error["message"], error["code"], error.get("data"))
    return answer["value"]


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

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Connector(name)

    def __repr__(self):
        return "ctx"
