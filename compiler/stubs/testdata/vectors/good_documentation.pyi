# Made by Runlace from the server's schemas. Do not edit: runlace sync writes it anew.
# Connector: good_documentation
from typing import NotRequired, TypedDict

class DocumentedOutput(TypedDict):
    """
    What came of it.
    Second line.\\
    """
    when: NotRequired[str]  # format date-time; When it was. Really.

class GoodDocumentation:
    def documented(
        self,
        *,
        limit: int = ...,
        since: str = ...,
        tags: list[str] = ...,
        code: str = ...,
        ratio: float = ...,
        big: list[int | bool | None] = ...,
    ) -> DocumentedOutput:
        """
        First line.

            Second \\ with \"\"\"quotes\"\"\" and \x00 and \u202e and a quote at the end"

        Args:
            limit: How many. At most a page. (default 20; 1 to 100)
            since: From \"\"\"here\"\"\" \\ there (format date-time)
            tags: (1 to 3 items; no item twice)
            code: (2 characters; matches ^[A-Z]{2}$; deprecated)
            ratio: (above 0; below 1; a multiple of 0.25)
            big: (default [1, None, True])

        (risk: side_effect)
        """
