"""Nova driver: a server is a machine of systemd-nspawn in a network namespace of its own (see nfv_lab/server.py).

Root disks: nfv_lab/disks.py.
"""
import os
import shlex
import shutil
import subprocess
import time

import eventlet.timeout
from oslo_config import cfg
from oslo_log import log as logging
from oslo_serialization import jsonutils

from nova.api.metadata import base as metadata
from nova.compute import power_state
import nova.conf
from nova import exception
from nova.objects import fields
from nova.virt import driver
from nova.virt import fake
from nova.virt import hardware

from nfv_lab import disks
from nfv_lab.server import POWER_OFF, REBOOT, Server, loop_device, release_loop_device, run, unplug_card

CONF = nova.conf.CONF
LOG = logging.getLogger(__name__)
CONF.register_opts(
    [
        cfg.StrOpt("image_folder", help="Where Glance keeps its files"),
        cfg.StrOpt("guest_folder", default="/cloud/guest", help="What servers see of the machine, by memory and CPUs"),
    ],
    group="lab",
)


def device_name(mount_device):
    return os.path.basename(mount_device).replace("sd", "vd")


class LabDriver(fake.FakeDriver):
    capabilities = dict(
        fake.FakeDriver.capabilities, has_imagecache=False, supports_attach_interface=True,
        supports_extend_volume=True, supports_multiattach=False, supports_accelerators=False,
        supports_remote_managed_ports=False)
    vcpus = 64
    memory_mb = 262144
    local_gb = 10000

    def __init__(self, virtapi, read_only=False):
        super().__init__(virtapi)
        self.host_status_base.update(
            hypervisor_type="nfv-lab",
            supported_instances=[(fields.Architecture.X86_64, fields.HVType.QEMU, fields.VMMode.HVM)])

    def init_host(self, host):
        self._host = host
        self._nodes = [host]

    def list_instance_uuids(self):
        return [name for name in os.listdir(CONF.instances_path)
                if not name.endswith(".gone") and Server(name).exists]

    def list_instances(self):
        return self.list_instance_uuids()

    def get_num_instances(self):
        return len(self.list_instance_uuids())

    def get_nodenames_by_uuid(self, refresh=False):
        """Nova of 2025.1 asks for it. The fake driver would invent an identity at each start; the lab's is in etc/compute_id."""
        return driver.ComputeDriver.get_nodenames_by_uuid(self, refresh)

    def instance_exists(self, instance):
        return Server(instance.uuid).exists

    def get_info(self, instance, use_cache=True):
        server = Server(instance.uuid)
        if not server.exists:
            raise exception.InstanceNotFound(instance_id=instance.uuid)
        return hardware.InstanceInfo(state=power_state.RUNNING if server.supervisor else power_state.SHUTDOWN)

    # ---- life
    def spawn(self, context, instance, image_meta, injected_files, admin_password, allocations,
              network_info=None, block_device_info=None, power_on=True, accel_info=None):
        server = Server(instance.uuid)
        os.makedirs(server.folder, exist_ok=True)
        self._make_disks(server, instance, block_device_info)
        self._write_seed(server, instance, injected_files, admin_password, network_info)
        self._write_guest(server, instance.flavor)
        values = {
            "NAME": server.name,
            "UUID": instance.uuid,
            "HOST_NAME": instance.hostname or instance.display_name,
            "MEMORY_MB": instance.flavor.memory_mb,
            "VCPUS": instance.flavor.vcpus,
        }
        server.write("server.env", "".join("%s=%s\n" % (k, shlex.quote(str(v))) for k, v in values.items()))
        self._plug_and_wait(context, instance, network_info, block_device_info)
        if power_on:
            server.start()

    def _make_disks(self, server, instance, block_device_info):
        root_device = driver.block_device_info_get_root_device(block_device_info)
        root, volumes = None, []
        for mapping in driver.block_device_info_get_mapping(block_device_info):
            file = mapping["connection_info"]["data"]["file"]
            if mapping["mount_device"] == root_device:
                root = disks.root_of(file)
                if not os.path.isdir(root):
                    raise exception.InvalidBDM("the root volume was not made from an image")
            else:
                volumes.append([device_name(mapping["mount_device"]), loop_device(file),
                                self._volume_id(mapping["connection_info"])[:20], file])
        if not root:
            root = server.path("root")
            disks.create(root, disks.read_image(CONF.lab.image_folder, instance.image_ref))
        os.symlink(root, server.path("disk"))
        server.save_volumes(volumes)

    @staticmethod
    def _volume_id(connection_info):
        return connection_info.get("serial") or connection_info["data"]["volume_id"]

    @staticmethod
    def _write_seed(server, instance, injected_files, admin_password, network_info):
        extra = {"admin_pass": admin_password} if admin_password else {}
        drive = metadata.InstanceMetadata(
            instance, content=injected_files, extra_md=extra, network_info=network_info)
        shutil.rmtree(server.path("seed"), ignore_errors=True)
        for path, data in drive.metadata_for_config_drive():
            file = server.path("seed", path)
            os.makedirs(os.path.dirname(file), exist_ok=True)
            with open(file, "wb") as output:
                output.write(data if isinstance(data, bytes) else data.encode())

    @staticmethod
    def _write_guest(server, flavor):
        sized = os.path.join(CONF.lab.guest_folder, "%d-%d" % (flavor.memory_mb, flavor.vcpus))
        source = sized if os.path.isdir(sized) else os.path.join(CONF.lab.guest_folder, "default")
        shutil.copytree(source, server.path("guest"), dirs_exist_ok=True)

    def _plug_and_wait(self, context, instance, network_info, block_device_info):
        events = [("network-vif-plugged", vif["id"]) for vif in network_info or [] if vif.get("active") is False]
        timeout = CONF.vif_plugging_timeout
        try:
            with self.virtapi.wait_for_instance_event(instance, events if timeout else [], deadline=timeout):
                self.plug_vifs(instance, network_info)
        # A Timeout is no Exception; Nova could not pass it on, and the server would stay in BUILD.
        except (Exception, eventlet.timeout.Timeout) as error:
            LOG.exception("network cards of %s", instance.uuid)
            self.destroy(context, instance, network_info, block_device_info)
            raise exception.VirtualInterfaceCreateException() from error

    def reboot(self, context, instance, network_info, reboot_type, block_device_info=None,
               bad_volumes_callback=None, accel_info=None, share_info=None):
        server = Server(instance.uuid)
        before = server.signal(REBOOT) if reboot_type == "SOFT" else None
        if before and self._wait(60, lambda: (server.init() or before) != before):
            return
        server.kill()
        self.power_on(context, instance, network_info, block_device_info)

    @staticmethod
    def _wait(seconds, check):
        end = time.time() + seconds
        while not check():
            if time.time() > end:
                return False
            time.sleep(0.2)
        return True

    def power_off(self, instance, timeout=0, retry_interval=0):
        server = Server(instance.uuid)
        if timeout and server.signal(POWER_OFF):
            self._wait(min(timeout, 30), lambda: not server.supervisor)
        server.kill()

    def power_on(self, context, instance, network_info, block_device_info=None, accel_info=None, share_info=None):
        server = Server(instance.uuid)
        server.renew_loop_devices()
        self.plug_vifs(instance, network_info)
        server.start()

    def resume_state_on_host_boot(self, context, instance, network_info, *_more):
        """Nova of 2025.1 gives shares before the block devices; neither matters here."""
        if not Server(instance.uuid).supervisor:
            self.power_on(context, instance, network_info)

    def destroy(self, context, instance, network_info, block_device_info=None,
                destroy_disks=True, destroy_secrets=True):
        Server(instance.uuid).kill()
        self.cleanup(context, instance, network_info, block_device_info, destroy_disks)

    def cleanup(self, context, instance, network_info, block_device_info=None, destroy_disks=True,
                migrate_data=None, destroy_vifs=True, destroy_secrets=True):
        server = Server(instance.uuid)
        self.unplug_vifs(instance, network_info)
        run("ip", "netns", "del", server.namespace, check=False)
        for volume in server.volumes():
            release_loop_device(volume[3])
        if destroy_disks:
            # Tens of thousands of links: gone at once for everybody else, really gone a little later.
            gone = server.folder + ".gone"
            if os.path.isdir(server.folder):
                os.rename(server.folder, gone)
                subprocess.Popen(["rm", "-rf", gone], start_new_session=True)

    def get_console_output(self, context, instance):
        return Server(instance.uuid).read("console.log").encode()[-200000:]

    # ---- volumes
    def attach_volume(self, context, connection_info, instance, mountpoint,
                      disk_bus=None, device_type=None, encryption=None):
        server = Server(instance.uuid)
        name, volume_id = device_name(mountpoint), self._volume_id(connection_info)[:20]
        file = connection_info["data"]["file"]
        loop = loop_device(file)
        server.save_volumes([volume for volume in server.volumes() if volume[0] != name]
                            + [[name, loop, volume_id, file]])
        number = os.stat(loop).st_rdev
        server.inside("mknod -m 660 /dev/%s b %d %d; mkdir -p /dev/disk/by-id; ln -sfn ../../%s /dev/disk/by-id/virtio-%s"
                      % (name, os.major(number), os.minor(number), name, volume_id))

    def detach_volume(self, context, connection_info, instance, mountpoint, encryption=None):
        server = Server(instance.uuid)
        file = connection_info["data"]["file"]
        for volume in server.volumes():
            if volume[3] == file:
                server.inside("umount /dev/%s; rm -f /dev/%s /dev/disk/by-id/virtio-%s" % (volume[0], volume[0], volume[2]))
        if server.exists:
            server.save_volumes([volume for volume in server.volumes() if volume[3] != file])
        release_loop_device(file)

    def extend_volume(self, context, connection_info, instance, requested_size):
        run("losetup", "-c", loop_device(connection_info["data"]["file"]))

    def default_root_device_name(self, instance, image_meta, root_bdm):
        return "/dev/vda"  # so that volumes begin with /dev/vdb

    def get_volume_connector(self, instance):
        return {"ip": CONF.my_block_storage_ip, "initiator": "nfv-lab", "host": self._host}

    # ---- network
    def plug_vifs(self, instance, network_info):
        server = Server(instance.uuid)
        server.ensure_namespace()
        for number, vif in enumerate(network_info or []):
            server.plug(vif, "eth%d" % number)

    def unplug_vifs(self, instance, network_info):
        for vif in network_info or []:
            unplug_card(vif["id"])

    def attach_interface(self, context, instance, image_meta, vif):
        server = Server(instance.uuid)
        server.plug(vif, server.free_card())

    def detach_interface(self, context, instance, vif):
        unplug_card(vif["id"])

    # ---- host
    def get_available_resource(self, nodename):
        cpu = {"arch": "x86_64", "model": "host", "vendor": "lab", "features": [],
               "topology": {"cores": 1, "threads": 1, "sockets": 1}}
        return dict(
            self.host_status_base, vcpus=self.vcpus, memory_mb=self.memory_mb, local_gb=self.local_gb, vcpus_used=0,
            memory_mb_used=0, local_gb_used=0, disk_available_least=self.local_gb, hypervisor_hostname=nodename,
            cpu_info=jsonutils.dumps(cpu))
