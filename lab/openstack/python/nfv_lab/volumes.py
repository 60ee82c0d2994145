"""Cinder driver: volumes are sparse files. Servers on the same machine get them as loop devices (see nova_virt/lab.py)."""
import os
import subprocess

from oslo_config import cfg
from oslo_log import log as logging

from cinder import interface
from cinder.volume import configuration
from cinder.volume import driver

from nfv_lab import disks

LOG = logging.getLogger(__name__)
OPTIONS = [
    cfg.StrOpt("nfv_volume_folder", help="Folder with the volumes' files"),
    cfg.StrOpt("nfv_image_folder", default="/cloud/state/glance/images", help="Where Glance keeps its files"),
]
cfg.CONF.register_opts(OPTIONS, group=configuration.SHARED_CONF_GROUP)
GIB = 1 << 30


@interface.volumedriver
class FileDriver(driver.VolumeDriver):
    VERSION = "1.0"
    CI_WIKI_NAME = "none"

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.configuration.append_config_values(OPTIONS)
        self.folder = self.configuration.nfv_volume_folder

    def check_for_setup_error(self):
        os.makedirs(self.folder, exist_ok=True)

    def _file(self, resource):
        return os.path.join(self.folder, resource["name"])

    def _copy(self, source, target, size_gb):
        subprocess.run(["cp", "--sparse=always", source, target], check=True)
        os.truncate(target, max(size_gb * GIB, os.path.getsize(target)))
        if os.path.isdir(disks.root_of(source)):
            disks.copy(disks.root_of(source), disks.root_of(target))

    def _remove(self, path):
        disks.remove(disks.root_of(path))
        if os.path.exists(path):
            os.unlink(path)

    def create_volume(self, volume):
        with open(self._file(volume), "xb") as file:
            file.truncate(volume["size"] * GIB)

    def clone_image(self, context, volume, image_location, image_meta, image_service):
        """Volumes from an image cost nothing either; the caller has checked their size."""
        image = disks.read_image(self.configuration.nfv_image_folder, image_meta["id"])
        self.create_volume(volume)
        disks.create(disks.root_of(self._file(volume)), image)
        return {}, True

    def delete_volume(self, volume):
        self._remove(self._file(volume))

    def create_snapshot(self, snapshot):
        self._copy(self._file({"name": snapshot["volume_name"]}), self._file(snapshot), 0)

    def delete_snapshot(self, snapshot):
        self._remove(self._file(snapshot))

    def create_volume_from_snapshot(self, volume, snapshot):
        self._copy(self._file(snapshot), self._file(volume), volume["size"])

    def create_cloned_volume(self, volume, src_vref):
        self._copy(self._file(src_vref), self._file(volume), volume["size"])

    def extend_volume(self, volume, new_size):
        os.truncate(self._file(volume), new_size * GIB)

    def ensure_export(self, context, volume):
        pass

    def create_export(self, context, volume, connector):
        pass

    def remove_export(self, context, volume):
        pass

    def initialize_connection(self, volume, connector):
        return {"driver_volume_type": "local", "data": {"file": self._file(volume), "volume_id": volume["id"]}}

    def terminate_connection(self, volume, connector, **kwargs):
        pass

    def _update_volume_stats(self):
        self._stats = {
            "volume_backend_name": self.configuration.volume_backend_name,
            "vendor_name": "pulumi-nfv lab",
            "driver_version": self.VERSION,
            "storage_protocol": "local",
            # Files are sparse: the quota limits, not the disk.
            "total_capacity_gb": 10000,
            "free_capacity_gb": 10000,
            "reserved_percentage": 0,
            "QoS_support": False,
        }
