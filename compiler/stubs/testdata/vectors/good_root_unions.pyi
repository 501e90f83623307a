# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_root_unions
from typing import TypedDict, overload

class AtLeastOneOutput(TypedDict):
    ok: bool

class GoodRootUnions:
    @overload
    def at_least_one(self, *, id: int, name: str = ...) -> AtLeastOneOutput:
        """
        at_least_one

        (risk: side_effect)
        """
    @overload
    def at_least_one(self, *, name: str, id: int = ...) -> AtLeastOneOutput: ...

    @overload
    def by_id_or_name(self, *, id: int, dry: bool = ...) -> AtLeastOneOutput:
        """
        by_id_or_name

        (risk: side_effect)
        """
    @overload
    def by_id_or_name(self, *, name: str, dry: bool = ...) -> AtLeastOneOutput: ...

    def root_ref(self, *, x: str) -> AtLeastOneOutput:
        """
        root_ref

        (risk: side_effect)
        """

    @overload
    def shared(self, *, mode: str, a: int) -> AtLeastOneOutput:
        """
        shared

        (risk: side_effect)
        """
    @overload
    def shared(self, *, mode: str, b: int) -> AtLeastOneOutput: ...

# Problems:
# at_least_one input: no type says this; it is checked when the tool is called: anyOf (run-time)
