"""One server of the lab: its folder, its processes, its network cards. scripts/server.sh runs it and describes the folder."""
import os
import signal
import subprocess
import time

from oslo_concurrency import processutils

from nfv_lab.power_cut import lose_unsynced

SERVERS = "/cloud/state/servers"
OPEN_VSWITCH = "/run/openvswitch/db.sock"
POWER_OFF, REBOOT = signal.SIGRTMIN + 4, signal.SIGRTMIN + 5


def run(*command, check=True):
    return processutils.execute(*command, check_exit_code=check)[0]


def is_running(pid):
    try:
        with open("/proc/%d/stat" % pid, encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def loop_device(path):
    """The loop device of a volume's file, made if there is none."""
    known = run("losetup", "-n", "-O", "NAME", "-j", path).split()
    return known[0] if known else run("losetup", "--find", "--show", path).strip()


def release_loop_device(path):
    for device in run("losetup", "-n", "-O", "NAME", "-j", path).split():
        run("losetup", "-d", device, check=False)


class Server:
    """Folder and processes of one server."""

    def __init__(self, uuid):
        self.uuid = uuid
        self.folder = os.path.join(SERVERS, uuid)
        self.name = "server-" + uuid[:8] + uuid[9:13]

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def read(self, name):
        try:
            with open(self.path(name), encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    @property
    def exists(self):
        return os.path.exists(self.path("server.env"))

    @property
    def supervisor(self):
        """Pids begin anew with each life of the cloud: the recorded one may be another program's."""
        text = self.read("pid").strip()
        try:
            with open("/proc/%s/cmdline" % text, encoding="utf-8") as file:
                own = self.folder in file.read().split("\0")
        except OSError:
            return None
        return int(text) if own and is_running(int(text)) else None

    def groups(self):
        with open("/cloud/etc/groups", encoding="utf-8") as file:
            return [os.path.join(line.strip(), self.name) for line in file]

    def processes(self):
        found = set()
        for group in self.groups():
            for folder, _, _ in os.walk(group):
                try:
                    with open(os.path.join(folder, "cgroup.procs"), encoding="utf-8") as file:
                        found.update(int(line) for line in file)
                except OSError:
                    pass
        return [pid for pid in found if pid and is_running(pid)]

    def init(self):
        """The server's process 1, seen from here: pods have one too, a level deeper."""
        for pid in self.processes():
            try:
                with open("/proc/%d/status" % pid, encoding="utf-8") as file:
                    line = next(line for line in file if line.startswith("NSpid:"))
            except (OSError, StopIteration):
                continue
            numbers = line.split()[1:]
            if len(numbers) == 2 and numbers[1] == "1":
                return pid
        return None

    def signal(self, number):
        pid = self.init()
        if pid:
            os.kill(pid, number)
        return pid

    def start(self):
        if self.supervisor:
            return
        with open(self.path("console.log"), "ab") as log:
            process = subprocess.Popen(
                ["/scripts/server.sh", self.folder],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, close_fds=True)
        self.write("pid", "%d\n" % process.pid)

    def kill(self):
        """Pulls the plug. The supervisor goes first, so that it starts nothing again."""
        supervisor = self.supervisor
        if supervisor:
            os.kill(supervisor, signal.SIGKILL)
        lose_unsynced([volume[1] for volume in self.volumes()], self.stop_processes())
        end = time.time() + 30
        while time.time() < end:
            processes = self.processes()
            for pid in processes:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            if not processes:
                break
            time.sleep(0.05)
        run("umount", "-l", self.path("mnt"), check=False)
        for group in self.groups():
            for folder, _, _ in os.walk(group, topdown=False):
                try:
                    os.rmdir(folder)
                except OSError:
                    pass
        if supervisor:
            try:
                os.waitpid(supervisor, os.WNOHANG)
            except OSError:
                pass

    def stop_processes(self):
        """None of them acts any more, and those that they start meanwhile do not, either. Returns them."""
        stopped = set()
        while others := set(self.processes()) - stopped:
            for pid in others:
                try:
                    os.kill(pid, signal.SIGSTOP)
                except OSError:
                    pass
            stopped |= others
        return stopped

    def inside(self, script):
        pid = self.init()
        if pid:
            run("nsenter", "-t", str(pid), "-m", "-p", "-n", "-r", "-w", "sh", "-c", script, check=False)

    def volumes(self):
        """[device, loop device, id, file] of each volume besides the root disk."""
        return [line.split() for line in self.read("volumes.files").splitlines()]

    def save_volumes(self, volumes):
        self.write("volumes.files", "".join(" ".join(volume) + "\n" for volume in volumes))
        self.write("volumes", "".join(" ".join(volume[:3]) + "\n" for volume in volumes))

    def renew_loop_devices(self):
        """Numbers of loop devices change when the whole cloud was off."""
        self.save_volumes([[device, loop_device(file), name, file] for device, _, name, file in self.volumes()])

    # Network: see plug_card.
    @property
    def namespace(self):
        return "%s-%s" % (self.name, self.read("boot").strip() or "0")

    def ensure_namespace(self):
        if not os.path.exists("/run/netns/" + self.namespace):
            self.write("boot", "0\n")
            run("ip", "netns", "add", self.namespace, check=False)

    def plug(self, vif, card):
        mtu = (vif["network"].get("meta") or {}).get("mtu") or 1500
        plug_card(vif["id"], vif["address"], mtu, vif["network"]["bridge"], self.namespace, card)

    def free_card(self):
        present = run("ip", "-n", self.namespace, "-o", "link", "show")
        number = 0
        while (" eth%d" % number) in present:
            number += 1
        return "eth%d" % number


def tap_of(port):
    return ("tap" + port)[:14]


def plug_card(port, mac, mtu, bridge, namespace, card):
    """A port's network card: one end of a veth pair in the namespace, the other one on the bridge that Neutron names."""
    tap, peer, mtu = tap_of(port), "peer" + port[:10], str(mtu)
    if os.path.exists("/sys/class/net/" + tap):
        return
    run("ip", "link", "add", tap, "mtu", mtu, "type", "veth",
        "peer", "name", peer, "mtu", mtu, "address", mac)
    # The agent puts only ports of its own into the bridge.
    if os.path.exists(OPEN_VSWITCH):
        # What Open vSwitch reads from a card has no checksum as long as the kernel leaves that to the card.
        run("ethtool", "-K", peer, "tx", "off")
        run("ovs-vsctl", "--timeout=60", "--may-exist", "add-port", bridge, tap, "--", "set", "Interface", tap,
            "external_ids:iface-id=" + port, 'external_ids:attached-mac="%s"' % mac, "external_ids:iface-status=active")
    else:
        if not os.path.exists("/sys/class/net/" + bridge):
            run("ip", "link", "add", bridge, "type", "bridge", "forward_delay", "0", check=False)
            run("ip", "link", "set", bridge, "up")
        run("ip", "link", "set", tap, "master", bridge)
    run("ip", "link", "set", peer, "netns", namespace, "name", card)
    run("ip", "link", "set", tap, "up")


def unplug_card(port):
    tap = tap_of(port)
    if os.path.exists(OPEN_VSWITCH):
        run("ovs-vsctl", "--timeout=60", "--if-exists", "del-port", tap)
    run("ip", "link", "del", tap, check=False)
