from __future__ import annotations

from codeact_lsp.catalogue.pace import DEFAULT, Pace, Timing, backoff


def test_the_wait_before_connecting_again_doubles_and_is_at_most_a_minute() -> None:
    waits = [backoff(attempt, DEFAULT) for attempt in range(1, 200)]
    assert 0.25 <= waits[0] <= 0.5
    assert waits[5] > 2 * waits[0]
    assert max(waits) <= 60.0
    assert min(waits[20:]) >= 30.0


def test_the_wait_has_jitter() -> None:
    assert len({backoff(5, DEFAULT) for _ in range(20)}) > 1


def list_once(pace: Pace, now: float, *, changed: bool, echo: bool) -> float:
    """One listing that takes 0.1 s and is announced; the time of the announcement."""
    pace.started(now)
    pace.ended(now + 0.1, changed=changed)
    at = now + (0.05 if echo else 5.0)
    pace.announced(at)
    return at


def test_a_change_that_brings_something_new_is_never_slowed() -> None:
    pace = Pace()
    for number in range(100):
        at = list_once(pace, number * 10.0, changed=True, echo=True)
        assert pace.delay(at + 1.0) == 0.0
    assert not pace.loops


def test_three_echoes_in_vain_slow_a_server_down_to_half_a_minute_and_more() -> None:
    pace = Pace()
    delays = []
    for number in range(6):
        now = number * 1_000.0
        list_once(pace, now, changed=False, echo=True)
        delays.append(pace.delay(now + 0.1))
    assert max(delays[:2]) < 1.0
    assert delays[2:] == [30.0, 60.0, 120.0, 240.0]


def test_listings_in_vain_that_are_no_echo_slow_it_later() -> None:
    pace = Pace()
    for number in range(11):
        list_once(pace, number * 1_000.0, changed=False, echo=False)
        assert not pace.loops
    list_once(pace, 11_000.0, changed=False, echo=False)
    assert pace.loops


def test_something_new_makes_it_fast_again() -> None:
    pace = Pace()
    for number in range(5):
        list_once(pace, number * 1_000.0, changed=False, echo=True)
    assert pace.loops
    list_once(pace, 9_000.0, changed=True, echo=True)
    assert not pace.loops


def test_one_listing_in_vain_counts_once_however_often_it_is_announced() -> None:
    pace = Pace()
    pace.started(0.0)
    pace.ended(0.1, changed=False)
    for _ in range(100):
        pace.announced(0.05)
    assert not pace.loops


def test_a_slow_listing_takes_at_most_half_of_the_time() -> None:
    pace = Pace()
    pace.started(0.0)
    pace.ended(8.0, changed=True)
    assert pace.delay(8.0) == 8.0
    assert pace.delay(14.0) == 2.0
    assert pace.delay(20.0) == 0.0


def test_a_server_that_changes_all_the_time_is_listed_every_few_seconds() -> None:
    pace = Pace(Timing(busy=3.0))
    for number in range(20):
        list_once(pace, number * 0.2, changed=True, echo=True)
    assert pace.delay(19 * 0.2 + 0.1) == 3.0
