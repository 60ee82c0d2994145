#!/usr/bin/env python3
"""Runs one management script of Tacker for pulumi-nfv. Needs Python 3.7, and nothing but its standard library.

Standard input: one line of JSON (`Order` in shim-process.ts), then nothing until the operator's process ends. The end
of standard input therefore means that nobody waits for the script any more.
Standard output: one line of JSON (`Answer` in shim-process.ts). Standard error: that of the script, as it comes.

The script prints its result as a pickle, and unpickling can run any code. So it is read here and not in the operator's
process, by an unpickler that knows plain data only.
"""

import datetime
import io
import json
import os
import pickle
import queue
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

MEBIBYTE = 1024 * 1024
GRACE_SECONDS = 5  # from SIGTERM to SIGKILL
DRAIN_SECONDS = 2  # a process that the script left behind may keep its standard output open
MOST_VALUES = 1000000  # a small pickle can name the same list again and again


class Stopped(Exception):
    """The script must end now; `args[0]` says why: "cancelled" or "timeout"."""


class Refused(Exception):
    """The result contains what is no plain data."""


events = queue.SimpleQueue()  # a signal handler may put while the main thread gets


class Clock:
    def __init__(self, seconds):
        self.end = None if seconds is None else time.monotonic() + seconds

    def left(self):
        return None if self.end is None else max(0.0, self.end - time.monotonic())

    def check(self):
        """Copying a package may take long: between two files, look whether to go on."""
        if self.left() == 0.0:
            raise Stopped("timeout")
        if not events.empty():
            raise Stopped("cancelled")


def watch_operator():
    """Waits for the end of standard input: the operator's process was killed, or does not want the script any more."""
    while os.read(0, 4096):
        pass
    events.put(("cancelled", None))


def copy_package(folder, clock):
    """The script gets a copy of its package, as from Tacker, which unpacks the package for each run."""

    def copy(source, target):
        clock.check()
        return shutil.copy2(source, target)

    parent = tempfile.mkdtemp(prefix="pulumi-nfv-csar-")
    temporary.append(parent)
    target = os.path.join(parent, "package")
    # A link stays a link: following it could copy files that are not of the package.
    shutil.copytree(folder, target, symlinks=True, copy_function=copy)
    for path, _, names in os.walk(target):
        # A package may lie on a read-only medium, but the script may write into its copy, which also has to go again.
        os.chmod(path, os.stat(path).st_mode | stat.S_IRWXU)
        for each in (os.path.join(path, name) for name in names):
            if not os.path.islink(each):
                os.chmod(each, os.stat(each).st_mode | stat.S_IRUSR | stat.S_IWUSR)
    return target


temporary = []


class Script:
    """A running script: a process group of its own, so that all of it can be ended."""

    def __init__(self, argv, stdin, limit):
        self.limit = limit
        self.kept = io.BytesIO()
        self.truncated = False
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        self.reader = self.start(self.read)
        self.start(self.write, stdin)
        self.start(self.wait)

    def start(self, function, *values):
        thread = threading.Thread(target=function, args=values, daemon=True)
        thread.start()
        return thread

    def write(self, data):
        try:
            self.process.stdin.write(data)
            self.process.stdin.close()
        except OSError:
            pass  # the script may end without reading

    def read(self):
        for chunk in iter(lambda: self.process.stdout.read1(65536), b""):
            room = self.limit - self.kept.tell()
            self.kept.write(chunk[:room])
            self.truncated = self.truncated or len(chunk) > room

    def wait(self):
        events.put(("ended", self.process.wait()))

    def output(self):
        self.reader.join(DRAIN_SECONDS)
        return self.kept.getvalue()

    def end_group(self):
        """Ends all processes of the group, also those whose parent has ended already."""
        for number, seconds in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, 1)):
            end = time.monotonic() + seconds
            try:
                os.killpg(self.process.pid, number)
                while time.monotonic() < end:
                    time.sleep(0.02)
                    os.killpg(self.process.pid, 0)
            except OSError:
                return  # the group is empty


def run(order):
    clock = Clock(order.get("timeoutSeconds"))
    given = dict(order["input"])
    given["tmp_csar_dir"] = copy_package(order["packageFolder"], clock)
    if order.get("newPackageFolder") is not None:
        given["new_csar_dir"] = copy_package(order["newPackageFolder"], clock)
    clock.check()
    argv = [sys.executable, os.path.join(given["tmp_csar_dir"], order["script"])]
    script = Script(argv, pickle.dumps(given), order["outputLimit"])
    try:
        what, code = events.get(timeout=clock.left())
    except queue.Empty:
        what, code = "timeout", None
    if what != "ended":
        script.end_group()
        raise Stopped(what)
    if code != 0:
        # What a failed script left running would work beside its next attempt.
        script.end_group()
    answer = {}
    if code != 0:
        answer["failed"] = {"exitCode": code} if code > 0 else {"signal": signal.Signals(-code).name}
    try:
        # Also of a script that failed: its next attempt gets what it kept.
        answer.update(result_of(script.output(), script.truncated))
    except Refused as refused:
        answer.setdefault("failed", {"refused": str(refused)})
    return answer


# Names that a pickle of plain data may contain; older protocols write sets and bytes by name.
PLAIN = {
    ("builtins", "set"): set,
    ("builtins", "frozenset"): frozenset,
    ("builtins", "bytearray"): bytearray,
    ("__builtin__", "set"): set,
    ("__builtin__", "frozenset"): frozenset,
    ("_codecs", "encode"): lambda text, _encoding: text.encode("latin-1"),
    ("datetime", "datetime"): datetime.datetime,
    ("datetime", "date"): datetime.date,
    ("datetime", "time"): datetime.time,
    ("datetime", "timedelta"): datetime.timedelta,
    ("datetime", "timezone"): datetime.timezone,
}


class PlainUnpickler(pickle.Unpickler):
    def find_class(self, module, name):
        try:
            return PLAIN[(module, name)]
        except KeyError:
            raise Refused("its result contains {}.{}, which is no plain data".format(module, name)) from None

    def persistent_load(self, pid):
        raise Refused("its result refers to something outside of it")


def result_of(output, truncated):
    """What the script printed, as JSON values. Anything but a pickled dict is ignored, as Tacker does."""
    is_pickle = output[:1] == b"\x80"
    limit_memory()
    try:
        result = PlainUnpickler(io.BytesIO(output)).load()
    except Refused:
        if is_pickle:
            raise
        return {}  # a text that happens to begin like an instruction of a pickle
    except Exception:
        if is_pickle and truncated:
            raise Refused("its result is greater than {} MiB".format(len(output) // MEBIBYTE)) from None
        return {}
    if not isinstance(result, dict):
        return {}
    answer = {}
    for key, name in (("vnf_instance", "vnfInstance"), ("user_script_err_handling_data", "errorHandlingData")):
        if result.get(key) is not None:
            if not isinstance(result[key], dict):
                raise Refused("its {} is no dict but {}".format(key, type(result[key]).__name__))
            answer[name] = plain(result[key], key)
    return answer


def limit_memory():
    """A few bytes of a pickle can ask for gigabytes."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (1024 * MEBIBYTE, resource.getrlimit(resource.RLIMIT_AS)[1]))
    except (ImportError, OSError, ValueError):
        pass  # not on every system


def plain(value, place):
    """JSON values; what JSON does not have becomes the nearest that it has, or is refused with its place."""
    budget = [MOST_VALUES]

    def convert(value, place, depth):
        budget[0] -= 1
        if budget[0] < 0 or depth > 100:
            raise Refused("{} is too large or contains itself".format(place.split(".")[0]))
        if value is None or isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float):
            if value != value or value in (float("inf"), float("-inf")):
                raise Refused("{} is {}, which JSON does not have".format(place, value))
            return value
        if isinstance(value, dict):
            keys = [key_of(key, place) for key in value]
            values = [convert(each, "{}.{}".format(place, key), depth + 1) for key, each in zip(keys, value.values())]
            return dict(zip(keys, values))
        if isinstance(value, (list, tuple)):
            return [convert(each, "{}[{}]".format(place, i), depth + 1) for i, each in enumerate(value)]
        if isinstance(value, (set, frozenset)):
            # A set has no order: the same set must give the same list.
            return convert(sorted(value, key=repr), place, depth)
        if isinstance(value, (bytes, bytearray)):
            try:
                return value.decode()
            except UnicodeDecodeError:
                raise Refused("{} is bytes that are no UTF-8 text".format(place)) from None
        if isinstance(value, datetime.timedelta):
            return value.total_seconds()
        if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
            return value.isoformat()
        raise Refused("{} is of type {}".format(place, type(value).__name__))

    def key_of(key, place):
        if key is None or isinstance(key, (bool, int, float)):
            return json.dumps(key)
        if isinstance(key, str):
            return key
        raise Refused("{} has a key of type {}".format(place, type(key).__name__))

    return convert(value, place, 0)


def main():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: events.put(("cancelled", None)))
    line = bytearray()
    while not line.endswith(b"\n"):
        chunk = os.read(0, 65536)
        if not chunk:
            return
        line += chunk
    order = json.loads(line.decode())
    threading.Thread(target=watch_operator, daemon=True).start()
    try:
        answer = json.dumps(run(order))
    except Stopped as stopped:
        answer = json.dumps({"failed": {"stopped": stopped.args[0]}})
    except (OSError, shutil.Error) as error:
        answer = json.dumps({"failed": {"notStarted": str(error)}})
    except (MemoryError, RecursionError, ValueError) as error:
        cause = str(error) or type(error).__name__
        answer = json.dumps({"failed": {"refused": "its result cannot be read: " + cause}})
    finally:
        for path in temporary:
            shutil.rmtree(path, ignore_errors=True)
    try:
        sys.stdout.write(answer + "\n")
        sys.stdout.flush()
    except OSError:
        pass  # nobody waits for the answer
    # Threads may still wait for a process that the script left behind.
    os._exit(0)


if __name__ == "__main__":
    main()
