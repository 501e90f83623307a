# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_all_of
from typing import NotRequired, TypedDict

class MergedOutput(TypedDict):
    x: str
    y: NotRequired[str]

class SeveralUnionsA(TypedDict):
    a1: str
    a2: NotRequired[str]

class SeveralUnionsA2(TypedDict):
    a1: str
    b2: NotRequired[str]

class SeveralUnionsA3(TypedDict):
    b1: str
    a2: NotRequired[str]

class SeveralUnionsA4(TypedDict):
    b1: str
    b2: NotRequired[str]

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

    def several_unions(self, *, a: SeveralUnionsA | SeveralUnionsA2 | SeveralUnionsA3 | SeveralUnionsA4 = ...) -> SeveralUnionsOutput:
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
