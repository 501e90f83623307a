# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_references
from typing import Literal, NotRequired, TypedDict

class Item(TypedDict):
    another: NotRequired[str]

class OtherToolSameNameOutput(TypedDict):
    ok: bool

class AB(TypedDict):
    x: NotRequired[str]

class Item2(TypedDict):
    z: NotRequired[bool]

class Item22(TypedDict):
    y: NotRequired[int]

class GoodReferences:
    def other_tool_same_name(self, *, b: Item = ...) -> OtherToolSameNameOutput:
        """
        other_tool_same_name

        (risk: side_effect)
        """

    def refs(self, *, a: AB = ..., b: Item2 = ..., c: AB = ..., d: Item22 = ..., e: Literal["q"] = ...) -> OtherToolSameNameOutput:
        """
        refs

        Args:
            d: with siblings

        (risk: side_effect)
        """

    def third(self, *, b: Item2 = ...) -> OtherToolSameNameOutput:
        """
        third

        (risk: side_effect)
        """
