"""supervisor.py SERVICES.json: starts services of the cloud again that died or hang; a line of its output for each restart.

Runs in the cloud's root and ends with it. What it sees is in run/health.json, for `cloud status`. Only the standard library: small.
"""
import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

from nfv_lab import health

RUN = "/cloud/run"
REPORT = RUN + "/health.json"
ROUND, ASK, ASK_AT_ONCE = 2, 30, 5  # seconds; heartbeats are asked for more often when a process stands still
STILL = 10


def process_of(name):
    """(pid, start time in ticks, context switches), if it runs. A stopped or blocked process has no context switches."""
    try:
        with open("%s/%s.pid" % (RUN, name), encoding="utf-8") as file:
            pid = int(file.read())
        with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        with open("/proc/%d/status" % pid, encoding="utf-8") as file:
            switches = sum(int(line.split()[1]) for line in file if "ctxt_switches" in line)
    except (OSError, ValueError):
        return None
    return None if fields[0] in "ZX" else (pid, int(fields[19]), switches)


class Heartbeats:
    """Neutron's agents, Nova's and Cinder's services, as their APIs list them."""

    def __init__(self, keystone, login, urls):
        self.keystone, self.login, self.urls = keystone, login, urls
        self.token = self.project = None
        self.beats = {}  # api: {program: time}
        self.asked = -ASK

    def _request(self, url, body=None):
        request = urllib.request.Request(url, body and json.dumps(body).encode(), {"Content-Type": "application/json"})
        if self.token:
            request.add_header("X-Auth-Token", self.token)
        return urllib.request.urlopen(request, timeout=10)

    def _log_in(self):
        self.token = None
        with self._request(self.keystone + "/auth/tokens", self.login) as answer:
            self.project = json.load(answer)["token"]["project"]["id"]
            self.token = answer.headers["X-Subject-Token"]

    def ask(self):
        """An API that does not answer says nothing of its services."""
        self.asked = time.monotonic()
        for api, url in self.urls.items():
            try:
                if not self.token:
                    self._log_in()
                with self._request(url.replace("{project}", self.project)) as answer:
                    listed = json.load(answer)
                self.beats[api] = health.beats_of(next(iter(listed.values())))
            except (OSError, ValueError, KeyError) as error:
                if isinstance(error, urllib.error.HTTPError) and error.code == 401:
                    self.token = None
                self.beats.pop(api, None)


class Watched:
    def __init__(self, service, restarts):
        self.name, self.command = service["name"], service["command"]
        self.heartbeat = service.get("heartbeat")
        self.restarts, self.times = restarts, []
        self.process, self.moved, self.refused = None, time.monotonic(), False

    def look(self):
        before, self.process = self.process, process_of(self.name)
        if self.process != before:
            self.moved = time.monotonic()

    @property
    def age(self):
        if not self.process:
            return 0
        with open("/proc/uptime", encoding="utf-8") as file:
            return float(file.read().split()[0]) - self.process[1] / os.sysconf("SC_CLK_TCK")

    @property
    def still(self):
        return time.monotonic() - self.moved


class Supervisor:
    def __init__(self, table):
        earlier = self._earlier()
        self.services = {service["name"]: Watched(service, earlier.get(service["name"], {}).get("restarts", 0))
                         for service in table["services"]}
        self.heartbeats = Heartbeats(table["keystone"], table["login"], table["heartbeats"])
        self.calm = False

    @staticmethod
    def _earlier():
        try:
            with open(REPORT, encoding="utf-8") as file:
                return json.load(file)["services"]
        except (OSError, ValueError, KeyError):
            return {}

    def round(self):
        for service in self.services.values():
            service.look()
        standing = any(service.heartbeat and service.process and service.still > STILL for service in self.services.values())
        if time.monotonic() - self.heartbeats.asked > (ASK if self.calm and not standing else ASK_AT_ONCE):
            self.heartbeats.ask()
        judged = {name: self._facts(service) for name, service in self.services.items()}
        states = {name: health.judge(facts) for name, facts in judged.items()}
        self.calm = set(states.values()) == {"healthy"}
        self._report(states, judged)
        for name, state in states.items():
            if state in ("dead", "hung"):
                self._restart(self.services[name], state)

    def _facts(self, service):
        facts = {"running": service.process is not None}
        if service.heartbeat:
            beats = self.heartbeats.beats.get(service.heartbeat["api"], {})
            beat = beats.get(service.name)
            through = self.services.get(service.heartbeat.get("through"))
            facts.update(
                age=service.age, still=service.still, through_age=through.age if through else service.age,
                late=None if beat is None else time.time() - beat,
                behind=None if beat is None else max(beats.values()) - beat)
        return facts

    def _report(self, states, judged):
        services = {}
        for name, state in states.items():
            service = self.services[name]
            late = judged[name].get("late")
            services[name] = {
                "state": state, "restarts": service.restarts, "pid": service.process and service.process[0],
                "heartbeat": None if late is None else time.time() - late}
        with open(REPORT + ".new", "w", encoding="utf-8") as file:
            json.dump({"time": time.time(), "services": services}, file)
        os.rename(REPORT + ".new", REPORT)

    def _restart(self, service, state):
        now = time.monotonic()
        if not health.may_restart(service.times, now):
            if not service.refused:
                say("%s is %s, %d restarts within %d s: it has to wait" % (
                    service.name, state, health.RESTARTS, health.WINDOW))
            service.refused = True
            return
        service.refused = False
        service.times = [each for each in service.times if now - each < health.WINDOW] + [now]
        service.restarts += 1
        say("%s is %s: start number %d" % (service.name, state, service.restarts + 1))
        if service.process:
            self._kill(service)
        subprocess.run(["/scripts/start.sh", service.name, *service.command], check=False)

    @staticmethod
    def _kill(service):
        """Its pid may be another program's by now: only what was judged is killed."""
        pid, started, _ = service.process
        end = time.monotonic() + 5
        while time.monotonic() < end:
            now = process_of(service.name)
            if not now or now[:2] != (pid, started):
                return
            os.kill(pid, signal.SIGKILL)
            time.sleep(0.1)


def say(line):
    print(time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), line, flush=True)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        supervisor = Supervisor(json.load(file))
    say("watching %d services" % len(supervisor.services))
    while True:
        try:
            supervisor.round()
        except Exception as error:  # pylint: disable=broad-except
            say("%s: %s" % (type(error).__name__, error))
        time.sleep(ROUND)


if __name__ == "__main__":
    main()
