# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: degraded_references
# Not typed in full:
#   refs input/properties/a/$ref: "#/$defs/Gone" leads nowhere (unresolved-ref)
#   refs input/properties/b/$ref: "https://example.com/x.json" leads out of the document, and nothing is fetched (external-ref)
#   refs input/properties/c: the schema refers only to itself (circular)
#   refs input/$defs/A: the schema refers only to itself (circular)
from typing import TypedDict

class RefsOutput(TypedDict):
    ok: bool

class DegradedReferences:
    def refs(self, *, a: object = ..., b: object = ..., c: object = ..., d: object = ..., e: str = ...) -> RefsOutput:
        """
        refs

        (risk: side_effect)
        """

# Problems:
# refs input/properties/a/$ref: "#/$defs/Gone" leads nowhere (unresolved-ref)
# refs input/properties/b/$ref: "https://example.com/x.json" leads out of the document, and nothing is fetched (external-ref)
# refs input/properties/c: the schema refers only to itself (circular)
# refs input/$defs/A: the schema refers only to itself (circular)
