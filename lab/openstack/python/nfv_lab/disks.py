"""Root disks of the lab's servers: a folder on top of read-only layers, so that a new one costs nothing.

An image in Glance is a small text, {"layers": [...], "containerd": name or null}, that names folders of the cache. A root disk
belongs to a server or, beside the volume's file, to a volume that was made from an image.
"""
import json
import os
import shutil
import subprocess

LAYERS = "/layers"
# The kubelet, etcd and containerd mount or sync below these, which an overlay does not bear.
OWN_FOLDERS = ("containerd", "kubelet", "etcd")


def read_image(folder, image_id):
    with open(os.path.join(folder, image_id), encoding="utf-8") as file:
        return json.load(file)


def create(path, image):
    for name in ("upper", "work") + OWN_FOLDERS:
        os.makedirs(os.path.join(path, name), exist_ok=True)
    with open(os.path.join(path, "layers"), "w", encoding="utf-8") as file:
        file.write(":".join(os.path.join(LAYERS, name) for name in image["layers"]))
    if image.get("containerd"):
        _link_containerd(image["containerd"], os.path.join(path, "containerd"))


def _link_containerd(template, target):
    """Hard links instead of copies; only the databases, which are written in place, are copied."""
    os.rmdir(target)
    linked = subprocess.run(["cp", "-al", "/links/layers/" + template, "/links" + target], check=False)
    if linked.returncode != 0:
        shutil.rmtree(target, ignore_errors=True)
        subprocess.run(["cp", "-a", os.path.join(LAYERS, template), target], check=True)
    for folder, _, files in os.walk(target):
        for name in files:
            if name.endswith(".db"):
                path = os.path.join(folder, name)
                shutil.copy2(path, path + ".new")
                os.rename(path + ".new", path)


def copy(source, target):
    subprocess.run(["cp", "-a", source, target], check=True)


def remove(path):
    shutil.rmtree(path, ignore_errors=True)


def root_of(volume_file):
    """The root disk beside the file of a volume."""
    return volume_file + ".root"
