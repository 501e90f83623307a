# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_builtin_names
import builtins as _builtins
import typing as _typing
from typing import NotRequired, TypedDict

class AnyOutput(TypedDict):
    int: _builtins.int
    str: NotRequired[_builtins.str]
    list: NotRequired[_builtins.list[_builtins.str]]
    x: _builtins.list[_builtins.int]

class Issue2(TypedDict):
    Issue: NotRequired[str]
    b: NotRequired[Issue2]

class GoodBuiltinNames:
    def Any(
        self,
        *,
        a: _builtins.list[_builtins.str],
        b: _builtins.dict[_builtins.str, int] = ...,
        c: _builtins.float = ...,
        d: _builtins.bool = ...,
        e: _typing.Literal["x"] = ...,
    ) -> AnyOutput:
        """
        Any

        (risk: side_effect)
        """

    def Issue(
        self,
        *,
        a: _builtins.list[_builtins.str],
        b: _builtins.dict[_builtins.str, int] = ...,
        c: _builtins.float = ...,
        d: _builtins.bool = ...,
        e: _typing.Literal["x"] = ...,
    ) -> AnyOutput:
        """
        Issue

        (risk: side_effect)
        """

    def Literal(
        self,
        *,
        a: _builtins.list[_builtins.str],
        b: _builtins.dict[_builtins.str, int] = ...,
        c: _builtins.float = ...,
        d: _builtins.bool = ...,
        e: _typing.Literal["x"] = ...,
    ) -> AnyOutput:
        """
        Literal

        (risk: side_effect)
        """

    def bool(
        self,
        *,
        a: _builtins.list[_builtins.str],
        b: _builtins.dict[_builtins.str, int] = ...,
        c: _builtins.float = ...,
        d: _builtins.bool = ...,
        e: _typing.Literal["x"] = ...,
    ) -> AnyOutput:
        """
        bool

        (risk: side_effect)
        """

    def dict(
        self,
        *,
        a: _builtins.list[_builtins.str],
        b: _builtins.dict[_builtins.str, int] = ...,
        c: _builtins.float = ...,
        d: _builtins.bool = ...,
        e: _typing.Literal["x"] = ...,
    ) -> AnyOutput:
        """
        dict

        (risk: side_effect)
        """

    def float(
        self,
        *,
        a: _builtins.list[_builtins.str],
        b: _builtins.dict[_builtins.str, int] = ...,
        c: _builtins.float = ...,
        d: _builtins.bool = ...,
        e: _typing.Literal["x"] = ...,
    ) -> AnyOutput:
        """
        float

        (risk: side_effect)
        """

    def get(self, *, x: _builtins.str = ...) -> Issue2:
        """
        get

        (risk: side_effect)
        """

    def list(
        self,
        *,
        a: _builtins.list[_builtins.str],
        b: _builtins.dict[_builtins.str, int] = ...,
        c: _builtins.float = ...,
        d: _builtins.bool = ...,
        e: _typing.Literal["x"] = ...,
    ) -> AnyOutput:
        """
        list

        (risk: side_effect)
        """

    def object(
        self,
        *,
        a: _builtins.list[_builtins.str],
        b: _builtins.dict[_builtins.str, int] = ...,
        c: _builtins.float = ...,
        d: _builtins.bool = ...,
        e: _typing.Literal["x"] = ...,
    ) -> AnyOutput:
        """
        object

        (risk: side_effect)
        """

    def str(
        self,
        *,
        a: _builtins.list[_builtins.str],
        b: _builtins.dict[_builtins.str, int] = ...,
        c: _builtins.float = ...,
        d: _builtins.bool = ...,
        e: _typing.Literal["x"] = ...,
    ) -> AnyOutput:
        """
        str

        (risk: side_effect)
        """
