# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_tuples_and_maps
from typing import NotRequired
from typing_extensions import TypedDict

class CollectionsMixed(TypedDict, extra_items=int):
    a: NotRequired[str]

class CollectionsClosed(TypedDict):
    pass

class CollectionsOutputMixed(TypedDict, extra_items=int):
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
        mixed: CollectionsMixed | dict[str, int | str] = ...,
        closed: CollectionsClosed = ...,
        of: dict[str, list[int]] = ...,
    ) -> CollectionsOutput:
        """
        collections

        (risk: side_effect)
        """

# Problems:
# collections input/properties/pair: the places of the list have types of their own; the type of an item is any of them, and the places are checked when the tool is called (run-time)
# collections output/properties/point: the places of the list have types of their own; the type of an item is any of them, and the places are checked when the tool is called (run-time)
