# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_all_of
from typing import NotRequired, TypedDict

class MergedOutput(TypedDict):
    x: str
    y: NotRequired[str]

class SeveralUnionsAA1A2(TypedDict):
    a1: str
    a2: NotRequired[str]

class SeveralUnionsAA1B2(TypedDict):
    a1: str
    b2: NotRequired[str]

class SeveralUnionsAB1A2(TypedDict):
    b1: str
    a2: NotRequired[str]

class SeveralUnionsAB1B2(TypedDict):
    b1: str
    b2: NotRequired[str]

type SeveralUnionsA = SeveralUnionsAA1A2 | SeveralUnionsAA1B2 | SeveralUnionsAB1A2 | SeveralUnionsAB1B2

class SeveralUnionsOutput(TypedDict):
    ok: bool

class P(TypedDict):
    q: NotRequired[str]

class GoodAllOf:
    def merged(self, *, a: str, b: int = ..., c: bool = ..., only_then: str = ...) -> MergedOutput:
        """
        merged

        Args:
            b: (at least 1)

        (risk: side_effect)
        """

    def several_unions(self, *, a: SeveralUnionsA = ...) -> SeveralUnionsOutput:
        """
        several_unions

        (risk: side_effect)
        """

    def single(self, *, p: P = ...) -> SeveralUnionsOutput:
        """
        single

        Args:
            p: (default {})

        (risk: side_effect)
        """

# Problems:
# merged input: no type says this; it is checked when the tool is called: if (run-time)
