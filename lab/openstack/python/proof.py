"""Proves what `cloud up` promises: a router's namespace, an answer by DHCP, a floating address that answers from outside, a volume.

Makes things of its own in the project demo, without a server: nfv_lab/probe.py answers from a network namespace instead. Removes
them in any case, and what a killed proof left. A failure begins with the name of the service that is to blame.
"""
import concurrent.futures
import contextlib
import os
import secrets
import socket
import subprocess
import time

import openstack

from nfv_lab.server import plug_card, unplug_card

PREFIX = "nfv-proof-"
SECONDS = 180  # for each thing to wait for: an agent that hangs is back by then, also on a busy machine
NAMESPACES = "/run/netns"
LOG = "/cloud/log/proof.log"


class Failed(Exception):
    def __init__(self, service, what):
        super().__init__("%s: %s" % (service, what))


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True, text=True).stdout


def wait(service, what, check, seconds=SECONDS):
    end = time.monotonic() + seconds
    while True:
        found = check()
        if found:
            return found
        if time.monotonic() > end:
            raise Failed(service, "%s after %d s" % (what, seconds))
        time.sleep(0.2)


class Api:
    """One service's REST API; what it refuses is the service's failure."""

    def __init__(self, service, adapter):
        self.service, self.adapter = service, adapter

    def call(self, method, path, body=None, allowed=()):
        try:
            answer = self.adapter.request(path, method, json=body, raise_exc=False)
        except Exception as error:  # pylint: disable=broad-except
            raise Failed(self.service, "%s %s: %s" % (method, path, error)) from error
        if answer.status_code >= 400 and answer.status_code not in allowed:
            raise Failed(self.service, "%s %s: %d %s" % (method, path, answer.status_code, answer.text[:300]))
        return answer.json() if answer.content and answer.status_code < 300 else None

    def make(self, kind, **body):
        return self.call("POST", "/%ss" % kind.replace("_", "-"), {kind: body})[kind]

    def list(self, kinds, query):
        return self.call("GET", "/%s?%s" % (kinds.replace("_", "-"), query))[kinds]

    def delete(self, kinds, item):
        self.call("DELETE", "/%s/%s" % (kinds, item["id"]), allowed=(404,))


class Proof:
    def __init__(self, admin, demo, public, host, wiring_agent):
        self.network = Api("neutron-server", demo.network)
        self.agents = Api("neutron-server", admin.network)
        self.volumes = Api("cinder-api", demo.block_storage)
        self.volumes_admin = Api("cinder-api", admin.block_storage)
        self.project = demo.current_project_id
        self.public, self.host = public, host  # id of the public network; what Neutron's agents call this machine
        self.wiring_agent = wiring_agent
        self.name = PREFIX + secrets.token_hex(3)
        self.word = secrets.token_hex(8)
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.started, self.processes = [], []
        self.begin = time.monotonic()

    def say(self, what):
        """A line of log/proof.log: where the time went."""
        with open(LOG, "a", encoding="utf-8") as file:
            file.write("%s %s %5.1f s  %s\n" % (
                time.strftime("%H:%M:%S"), self.name, time.monotonic() - self.begin, what))

    def start(self, make, *args, **kwargs):
        """Makes it side by side with others; `clean` waits for its end, so that nothing appears behind it."""
        self.started.append(self.pool.submit(make, *args, **kwargs))
        return self.started[-1]

    def run(self):
        volume = self.start(self.volumes.make, "volume", name=self.name, size=1)
        group = self.start(self._make_group)
        router = self.start(self._make_router)
        network, subnet, port = self._make_port(group)
        self.say("port bound")
        address = self.start(self._make_address, router, subnet, port)
        probe = self._plug(network, port, subnet)
        self.say("port active")
        offered = self._first_line(probe)
        fixed = port["fixed_ips"][0]["ip_address"]
        if offered != fixed:
            raise Failed("neutron-dhcp-agent", "offered %s, the port has %s" % (offered or "no address", fixed))
        self.say("DHCP answers")
        address = address.result()["floating_ip_address"]
        self.say("floating address made")
        wait("neutron-l3-agent", "no namespace of the router",
             lambda: os.path.exists("%s/qrouter-%s" % (NAMESPACES, router.result()["id"])))
        wait("neutron-l3-agent", "floating address %s does not answer" % address, lambda: self._answers(address))
        self.say("floating address answers")
        volume = volume.result()
        wait("cinder-volume", "no volume", lambda: self._available(volume))
        self.say("volume available")

    def _make_group(self):
        group = self.network.make("security_group", name=self.name)
        self.network.make("security_group_rule", security_group_id=group["id"], direction="ingress", protocol="tcp",
                          port_range_min=22, port_range_max=22)
        return group

    def _make_router(self):
        return self.network.make("router", name=self.name, external_gateway_info={"network_id": self.public})

    def _make_address(self, router, subnet, port):
        """Neutron refuses a floating address for a port that no router reaches."""
        self.network.call(
            "PUT", "/routers/%s/add_router_interface" % router.result()["id"], {"subnet_id": subnet["id"]})
        return self.network.make(
            "floatingip", floating_network_id=self.public, port_id=port["id"], description=self.name)

    def _make_port(self, group):
        network = self.network.make("network", name=self.name)
        subnet = self.network.make(
            "subnet", name=self.name, network_id=network["id"], ip_version=4, cidr="10.254.254.0/28")
        # Only the administrator may bind a port to a host.
        port = self.agents.make(
            "port", name=self.name, network_id=network["id"], project_id=self.project, device_owner="compute:nfv-proof",
            security_groups=[group.result()["id"]], **{"binding:host_id": self.host})
        if port["binding:vif_type"] not in ("bridge", "ovs"):
            raise Failed(self.wiring_agent, "the port was not bound: %s" % port["binding:vif_type"])
        return network, subnet, port

    def _plug(self, network, port, subnet):
        """A network card for the port as servers have it (nfv_lab/server.py); returns the probe behind it."""
        bridge = port["binding:vif_details"].get("bridge_name") or "brq" + network["id"][:11]
        ip("netns", "add", self.name)
        plug_card(port["id"], port["mac_address"], network["mtu"], bridge, self.name, "eth0")
        # A port is ACTIVE when both agents are done with it.
        wait("neutron-dhcp-agent", "no namespace for the network's DHCP",
             lambda: os.path.exists("%s/qdhcp-%s" % (NAMESPACES, network["id"])))
        wait(self.wiring_agent, "the port is not ACTIVE",
             lambda: self.network.call("GET", "/ports/%s?fields=status" % port["id"])["port"]["status"] == "ACTIVE")
        fixed = port["fixed_ips"][0]["ip_address"]
        probe = subprocess.Popen(
            ["ip", "netns", "exec", self.name, "python3", "-ISB", "/python/nfv_lab/probe.py",
             port["mac_address"], fixed + "/28", subnet["gateway_ip"], self.word, str(SECONDS)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.processes.append(probe)
        return probe

    @staticmethod
    def _first_line(probe):
        line = probe.stdout.readline().strip()
        if not line:
            raise Failed("neutron-dhcp-agent", "no answer by DHCP; %s" % probe.stderr.read()[-300:].strip())
        return line

    def _answers(self, address):
        try:
            with socket.create_connection((address, 22), 1) as connection:
                return connection.recv(100).decode() == self.word
        except OSError:
            return False

    def _available(self, volume):
        status = self.volumes.call("GET", "/volumes/%s" % volume["id"])["volume"]["status"]
        if status.startswith("error"):
            raise Failed("cinder-volume", "the volume is in state " + status)
        return status == "available"

    def clean(self):
        """Removes this proof's things and those of killed ones."""
        concurrent.futures.wait(self.started)
        for process in self.processes:
            process.kill()
            process.wait()
        for name in os.listdir(NAMESPACES) if os.path.isdir(NAMESPACES) else []:
            if name.startswith(PREFIX):
                ip("netns", "del", name, check=False)
        volumes = self.pool.submit(self._clean_volumes)
        self._clean_network()
        volumes.result()

    def _clean_network(self):
        own = "project_id=%s&fields=id" % self.project
        listed = {
            kinds: self.pool.submit(self.network.list, kinds, own + more)
            for kinds, more in (
                ("floatingips", "&fields=description"), ("routers", "&fields=name"), ("ports", "&fields=name"),
                ("networks", "&fields=name"), ("security_groups", "&fields=name"))}
        found = {kinds: [item for item in future.result()
                         if (item.get("name") or item.get("description") or "").startswith(PREFIX)]
                 for kinds, future in listed.items()}
        # Neutron keeps a router's interface as long as a floating address needs it.
        for address in found["floatingips"]:
            self.network.delete("floatingips", address)
        routers = self.pool.submit(self._clean_routers, found["routers"])
        for port in found["ports"]:
            unplug_card(port["id"])
        for kinds in ("ports", "security_groups"):
            for item in found[kinds]:
                self.network.delete(kinds.replace("_", "-"), item)
        routers.result()
        for network in found["networks"]:
            self.network.delete("networks", network)

    def _clean_routers(self, routers):
        for router in routers:
            for port in self.network.list("ports", "fields=id&device_id=" + router["id"]):
                self.network.call("PUT", "/routers/%s/remove_router_interface" % router["id"],
                                  {"port_id": port["id"]}, allowed=(404,))
            self.network.delete("routers", router)

    def _own_volumes(self):
        return [volume for volume in self.volumes.list("volumes", "limit=1000")
                if (volume["name"] or "").startswith(PREFIX)]

    def _clean_volumes(self):
        """Of a killed start there may be volumes that were never made: only the administrator can remove them."""
        for volume in self._own_volumes():
            self.volumes_admin.call(
                "POST", "/volumes/%s/action" % volume["id"], {"os-force_delete": {}}, allowed=(400, 404))
        wait("cinder-volume", "a volume is not deleted", lambda: not self._own_volumes())


def prove(admin, wanted):
    demo = openstack.connect(cloud=wanted["demoCloud"])
    public = admin.network.get("/networks?fields=id&name=" + wanted["publicNetwork"]["name"]).json()["networks"][0]["id"]
    proof = Proof(admin, demo, public, wanted["hostName"], wanted["wiringAgent"])
    proof.say("begins")
    try:
        proof.run()
    except BaseException as error:
        proof.say("failed: %s" % error)
        with contextlib.suppress(Exception):
            proof.clean()
        raise
    proof.clean()
    proof.say("all removed")
