# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: degraded_conflicts
# Not typed in full:
#   conflicts input/properties/a: no value fits what is said here: it has to be "string" and "integer" at once (impossible)
#   conflicts input/properties/b: no value fits what is said here (impossible)
from typing import Any, Literal, Never, TypedDict

class ConflictsOutput(TypedDict):
    ok: bool

class DegradedConflicts:
    def conflicts(self, *, a: Never, b: Never = ..., c: Literal["b"] = ...) -> ConflictsOutput:
        """
        conflicts

        (risk: side_effect)
        """

    def twice(self, *, x: str = ...) -> Any:
        """
        twice

        (risk: side_effect)
        """

# Problems:
# twice name: the server lists this tool twice; the first counts (duplicate)
# conflicts input/properties/a: no value fits what is said here: it has to be "string" and "integer" at once (impossible)
# conflicts input/properties/b: no value fits what is said here (impossible)
# twice output: the server does not say what the tool returns (no-output-schema)
