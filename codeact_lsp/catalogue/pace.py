"""How long to wait: before connecting again, and before listing again."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Timing:
    """Waiting times in seconds.

    Attributes:
        debounce: after a change was announced, how long it must be quiet before the listing.
        debounce_most: but no longer than this.
        linger: how long a server that promises no announcements is kept, in case it makes some.
        stable: how long a connection must last to count as a success.
        backoff_first: the first wait before connecting again.
        backoff_most: the longest one.
        page: how long a page of a listing may keep silent; it may take ten times that.
        ping: how often an HTTP server of the older protocol is asked whether it is there.
        slow: the wait before listing a server that announces a change because it was listed.
        slow_most: the longest one.
        busy: the wait before listing a server that changes all the time.
        ttl_least: the shortest time after which a sleeping server is listed again by itself.
        poll: how often config files are looked at.

    """

    debounce: float = 0.1
    debounce_most: float = 1.0
    linger: float = 10.0
    stable: float = 5.0
    backoff_first: float = 0.5
    backoff_most: float = 60.0
    page: float = 60.0
    ping: float = 30.0
    slow: float = 30.0
    slow_most: float = 300.0
    busy: float = 3.0
    ttl_least: float = 30.0
    poll: float = 1.0


DEFAULT: Final = Timing()


def backoff(attempt: int, timing: Timing) -> float:
    """Seconds before the attempt with this number, from 1: doubling, with jitter, bounded."""
    longest = min(timing.backoff_most, timing.backoff_first * 2.0 ** min(attempt - 1, 16))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, hides nothing


_ECHO: Final = 4
_OTHER: Final = 1
_LOOP: Final = 12
_BUSY_COUNT: Final = 20
_BUSY_WINDOW: Final = 60.0
_ECHO_WINDOW: Final = 0.5


@dataclass(slots=True)
class Pace:
    """Notices a server that is listed in vain, and says how long to wait before the next listing.

    An announcement while a listing runs, or right after it, is an echo of the listing if nothing
    had changed. Three echoes in a row, or a dozen other listings in vain, slow the server down; a
    listing that brings something new makes it fast again.
    """

    timing: Timing = DEFAULT
    _score: int = 0
    _duration: float = 0.0
    _started: float = 0.0
    _ended: float = 0.0
    _starts: deque[float] = field(default_factory=lambda: deque(maxlen=_BUSY_COUNT))
    _vain: bool = False

    @property
    def loops(self) -> bool:
        """Whether the server is slowed down."""
        return self._score >= _LOOP

    def started(self, now: float) -> None:
        """A listing begins."""
        self._started = now
        self._starts.append(now)

    def ended(self, now: float, *, changed: bool) -> None:
        """The listing is there; whether it differs from the one before."""
        self._ended = now
        self._duration = now - self._started
        self._vain = not changed
        if changed:
            self._score = 0

    def announced(self, at: float) -> None:
        """The next listing is because of an announcement that came at this time."""
        if self._vain:
            window = max(_ECHO_WINDOW, self._duration)
            echo = self._started <= at <= self._ended + window
            self._score += _ECHO if echo else _OTHER
            self._vain = False

    def delay(self, now: float) -> float:
        """Seconds to wait before the next listing, from now, beside the debounce."""
        since = now - self._ended
        # Never more than half of the time is spent on listing one server.
        wanted = self._duration
        if len(self._starts) == _BUSY_COUNT and now - self._starts[0] < _BUSY_WINDOW:
            wanted = max(wanted, self.timing.busy)
        if self.loops:
            doublings = (self._score - _LOOP) // _ECHO
            slow = self.timing.slow * 2.0 ** min(doublings, 8)
            wanted = max(wanted, min(slow, self.timing.slow_most))
        return max(0.0, wanted - since)
