# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_tool_names
from typing import Any

class GoodToolNames:
    def n2cool(self) -> Any:
        """
        2cool

        (risk: side_effect)
        """

    def init(self) -> Any:
        """
        __init__

        (risk: side_effect)
        """

    def a_b_c868(self) -> Any:
        """
        a b

        (risk: side_effect)
        """

    def a_b_2e73(self) -> Any:
        """
        a.b

        (risk: side_effect)
        """

    def ai(self) -> Any:
        """
        ai

        (risk: side_effect)
        """

    def café(self) -> Any:
        """
        café

        (risk: side_effect)
        """

    def inputs(self) -> Any:
        """
        inputs

        (risk: side_effect)
        """

    def lambda_(self) -> Any:
        """
        lambda

        (risk: side_effect)
        """

    def match_(self) -> Any:
        """
        match

        (risk: side_effect)
        """

    def print(self) -> Any:
        """
        print

        (risk: side_effect)
        """

    def read_only_4fed(self) -> Any:
        """
        read-only

        (risk: side_effect)
        """

    def read_only(self) -> Any:
        """
        read_only

        (risk: side_effect)
        """

    def type_(self) -> Any:
        """
        type

        (risk: side_effect)
        """

    def 工具(self) -> Any:
        """
        工具

        (risk: side_effect)
        """

    def 查询(self) -> Any:
        """
        查询

        (risk: side_effect)
        """

    def 道具(self) -> Any:
        """
        道具

        (risk: side_effect)
        """

    def tool_ebbc0b(self) -> Any:
        """
        🚀

        (risk: side_effect)
        """

# Problems:
# 2cool output: the server does not say what the tool returns (no-output-schema)
# __init__ output: the server does not say what the tool returns (no-output-schema)
# a b output: the server does not say what the tool returns (no-output-schema)
# a b name: several tools would be called a_b; this one is a_b_c868 (renamed)
# a.b output: the server does not say what the tool returns (no-output-schema)
# a.b name: several tools would be called a_b; this one is a_b_2e73 (renamed)
# ai output: the server does not say what the tool returns (no-output-schema)
# café output: the server does not say what the tool returns (no-output-schema)
# inputs output: the server does not say what the tool returns (no-output-schema)
# lambda output: the server does not say what the tool returns (no-output-schema)
# match output: the server does not say what the tool returns (no-output-schema)
# print output: the server does not say what the tool returns (no-output-schema)
# read-only output: the server does not say what the tool returns (no-output-schema)
# read-only name: several tools would be called read_only; this one is read_only_4fed (renamed)
# read_only output: the server does not say what the tool returns (no-output-schema)
# type output: the server does not say what the tool returns (no-output-schema)
# 工具 output: the server does not say what the tool returns (no-output-schema)
# 查询 output: the server does not say what the tool returns (no-output-schema)
# 道具 output: the server does not say what the tool returns (no-output-schema)
# 🚀 output: the server does not say what the tool returns (no-output-schema)
