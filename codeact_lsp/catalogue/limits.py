"""How much of a listing is read. Past a limit the place is cut, with a problem that says so."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes, characters or counts, as each field says.

    Attributes:
        listing_bytes: bytes of one listing, all pages together, and of one message.
        rest: bytes of a message that is no listing, and characters of one without its tools.
        tools: tools of one listing.
        pages: pages of one listing.
        schema: characters of one schema's JSON text.
        description: characters of a description.
        name: characters of a tool's name or title.

    """

    listing_bytes: int = 512 * 1024 * 1024
    rest: int = 256 * 1024
    tools: int = 100_000
    pages: int = 1_000
    schema: int = 2 * 1024 * 1024
    description: int = 20_000
    name: int = 1_000


DEFAULT: Final = Limits()
CALLING: Final = replace(DEFAULT, rest=DEFAULT.listing_bytes)
"""Where tools are called too: what they give may be long."""
