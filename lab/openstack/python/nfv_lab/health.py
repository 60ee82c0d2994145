"""How the cloud's services are: pure. supervisor.py collects the facts and acts."""
import calendar
import time

# Seconds. Agents and services report every 10 (report_interval).
LATE = 25  # without a heartbeat, and without having run at all: the process hangs
LOST = 90  # behind the newest heartbeat of its neighbours: hangs, even if something in it still runs
GRACE = 60  # after its start a service is not judged by its heartbeats
WINDOW, RESTARTS = 60, 3  # not more restarts of a service than this within the window


def seconds_of(text):
    """Neutron writes `2026-01-31 10:00:00`, Nova and Cinder `2026-01-31T10:00:00.000000`; all in UTC."""
    return calendar.timegm(time.strptime(text[:19].replace("T", " "), "%Y-%m-%d %H:%M:%S"))


def beats_of(answers):
    """Time of the last heartbeat by program, from the lists of Neutron's agents and of Nova's or Cinder's services."""
    return {item["binary"]: seconds_of(item.get("heartbeat_timestamp") or item["updated_at"])
            for item in answers if item.get("heartbeat_timestamp") or item.get("updated_at")}


def judge(facts):
    """healthy, starting, hung or dead.

    facts: running; for those with heartbeats: age, seconds since the start; through_age, the same of the service that carries the
    reports; still, seconds in which the process did not run at all; late, seconds since the last heartbeat, and behind, seconds
    that it is older than the newest of the same API (both None as long as there is none).
    """
    if not facts["running"]:
        return "dead"
    if "age" not in facts:
        return "healthy"
    late, behind = facts["late"], facts["behind"]
    age = min(facts["age"], facts["through_age"])
    if age < GRACE:
        # An older heartbeat is of an earlier process.
        return "healthy" if late is not None and late < age else "starting"
    if facts["still"] >= LATE - 5 and late is not None and late > LATE:
        return "hung"
    # A machine under load makes all of them late; one alone has lost its connection.
    if behind is not None and behind > LOST:
        return "hung"
    return "healthy"


def may_restart(earlier, now):
    """earlier: times of the restarts so far."""
    return len([each for each in earlier if now - each < WINDOW]) < RESTARTS
