# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: degraded_no_schemas
# Not typed in full:
#   empty input: the schema does not say which type this is (no-type)
#   free input: the schema does not say which arguments there are (free-form)
#   just_object output: the schema does not say which keys the object has (free-form)
#   map output: the schema does not say which keys the object has (free-form)
#   no_properties output: the schema does not say which type this is (no-type)
#   nothing input: the server sends no input schema: taken as a tool without arguments (no-input-schema)
#   null input: the server sends no input schema: taken as a tool without arguments (no-input-schema)
#   only_schema input: the schema does not say which type this is (no-type)
from typing import Any

class DegradedNoSchemas:
    def closed(self) -> Any:
        """
        closed

        (risk: side_effect)
        """

    def empty(self, **extra: Any) -> Any:
        """
        empty

        (risk: side_effect)
        """

    def free(self, **extra: Any) -> Any:
        """
        free

        (risk: side_effect)
        """

    def just_object(self, **extra: Any) -> dict[str, Any]:
        """
        just_object

        (risk: side_effect)
        """

    def map(self, **extra: int) -> dict[str, Any]:
        """
        map

        (risk: side_effect)
        """

    def no_properties(self) -> Any:
        """
        no_properties

        (risk: side_effect)
        """

    def nothing(self) -> Any:
        """
        nothing

        (risk: side_effect)
        """

    def null(self) -> Any:
        """
        null

        (risk: side_effect)
        """

    def only_schema(self, **extra: Any) -> Any:
        """
        only_schema

        (risk: side_effect)
        """

# Problems:
# closed output: the server does not say what the tool returns (no-output-schema)
# empty input: the schema does not say which type this is (no-type)
# empty output: the server does not say what the tool returns (no-output-schema)
# free input: the schema does not say which arguments there are (free-form)
# free output: the server does not say what the tool returns (no-output-schema)
# just_object output: the schema does not say which keys the object has (free-form)
# map output: the schema does not say which keys the object has (free-form)
# no_properties output: the schema does not say which type this is (no-type)
# nothing input: the server sends no input schema: taken as a tool without arguments (no-input-schema)
# nothing output: the server does not say what the tool returns (no-output-schema)
# null input: the server sends no input schema: taken as a tool without arguments (no-input-schema)
# null output: the server does not say what the tool returns (no-output-schema)
# only_schema input: the schema does not say which type this is (no-type)
# only_schema output: the server does not say what the tool returns (no-output-schema)
