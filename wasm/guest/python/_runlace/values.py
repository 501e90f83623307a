"""Strict JSON in both directions, and no digit lost in either.

A number with a fraction or an exponent becomes the float that says exactly the same, or else an exact_float: a float, for all purposes, that is
written back with the text that it was read from. Integers of up to 4300 digits, which is as many as Python writes, and Decimals of any size are
written with all their digits.
"""

import json
from _host import encode as _encode, number as _number

_decode = json.JSONDecoder(parse_float=_number).decode
_decode_long = json.JSONDecoder(parse_float=_number, parse_int=_number).decode    # slower, and takes integers that Python does not read

_INSTEAD = {
    "set": "sorted(value), since a set has no order",
    "frozenset": "sorted(value), since a set has no order",
    "Fraction": "str(value) or float(value)",
    "complex": "[value.real, value.imag]",
    "datetime": "value.isoformat()",
    "date": "value.isoformat()",
    "time": "value.isoformat()",
    "timedelta": "value.total_seconds()",
    "ZoneInfo": "str(value)",
    "UUID": "str(value)",
    "bytes": "value.decode(), or base64.b64encode(value).decode() if it is not text",
    "bytearray": "value.decode(), or base64.b64encode(value).decode() if it is not text",
    "memoryview": "base64.b64encode(value).decode()",
    "deque": "list(value)",
    "range": "list(value)",
    "generator": "list(value)",
    "map": "list(value)",
    "filter": "list(value)",
    "zip": "list(value)",
    "dict_keys": "list(value)",
    "dict_values": "list(value)",
    "dict_items": "dict(value)",
    "mappingproxy": "dict(value)",
    "UserDict": "dict(value)",
    "ChainMap": "dict(value)",
    "coroutine": "what the coroutine would return: a workflow is not async, write def instead of async def",
    "Match": "value.group() or value.groupdict()",
    "function": "the result of calling it",
    "type": "an instance of it, as a dict",
}


class NotJSON(ValueError):
    """A value that JSON cannot say. path leads to it: keys and indices, outermost first."""

    def __init__(self, path, value, reason):
        super().__init__(reason)
        self.path, self.value, self.reason = path, value, reason

    def explain(self, name: str) -> str:
        """Says where below name the value is, what it is, and what to write instead."""
        where = name + "".join(f"[{_short(k)}]" for k in self.path or ())
        if self.reason == "number":
            value = float.__repr__(self.value) if isinstance(self.value, float) else _short(self.value)
            return f"{where} is {value}, which JSON does not have: write None or a string"
        if self.reason == "digits":
            return f"{where} is an integer of more than 4300 digits: write decimal.Decimal(value), which has no limit, or hex(value)"
        if self.reason == "text":
            return f"{where} has a lone surrogate, which is not Unicode text: write value.encode('utf-8', 'replace').decode()"
        if self.reason == "cycle":
            return f"{where} contains itself: write a copy without the cycle"
        kind = type(self.value).__name__
        if self.reason == "key":
            return f"{where} has the key {_short(self.value)}, of type {kind}: write str(key), JSON has only string keys"
        return f"{where} is of type {kind}, which JSON does not have: write {_instead(self.value, kind)}"


def _instead(value, kind: str) -> str:
    if hasattr(type(value), "__dataclass_fields__"):
        return "dataclasses.asdict(value)"
    for base in type(value).__mro__:
        if base.__name__ == "Enum":
            return "value.value"
    if kind in _INSTEAD:
        return _INSTEAD[kind]
    for base in type(value).__mro__[1:]:
        if base.__name__ in _INSTEAD:
            return _INSTEAD[base.__name__]
    return "dicts, lists, strings, numbers, booleans or None"


def _short(value) -> str:
    try:
        text = repr(value)
    except Exception:
        return f"<{type(value).__name__}>"
    return text if len(text) <= 60 else text[:57] + "..."


def encode(value) -> bytes:
    """JSON in UTF-8. Raises NotJSON."""
    return _encode(value, NotJSON)


def decode(text):
    """The value of JSON text that the host has checked already."""
    if not isinstance(text, str):
        text = text.decode()
    try:
        return _decode(text)
    except ValueError:    # an integer of more than 4300 digits: what else there could be wrong, the host has found
        return _decode_long(text)
