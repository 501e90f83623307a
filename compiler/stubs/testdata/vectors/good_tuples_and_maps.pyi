# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_tuples_and_maps
from typing import Any, NotRequired, TypedDict

class CollectionsMixed(TypedDict):
    a: NotRequired[str]

class CollectionsClosed(TypedDict):
    pass

class CollectionsOutputMixed(TypedDict):
    a: str

class CollectionsOutput(TypedDict):
    point: NotRequired[list[str | int]]
    mixed: NotRequired[CollectionsOutputMixed]

class GoodTuplesAndMaps:
    def collections(
        self,
        *,
        point: list[float] = ...,
        pair: list[str | int] = ...,
        patterns: dict[str, str] = ...,
        mixed: CollectionsMixed | dict[str, Any] = ...,
        closed: CollectionsClosed = ...,
        of: dict[str, list[int]] = ...,
    ) -> CollectionsOutput:
        """
        collections

        (risk: side_effect)
        """
