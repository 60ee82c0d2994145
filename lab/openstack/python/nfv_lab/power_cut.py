"""A power cut as the disks of a server see it: what nobody has synced is lost. The same as lab/power-cut.ts."""
import fcntl
import os
import struct

FS_IOC_SHUTDOWN = 0x8004587D
WITHOUT_JOURNAL = 2


def mount_points(mountinfo):
    """Mount points by device number ("7:3") from the text of a mountinfo; one for each device."""
    fields = [line.split(" ") for line in mountinfo.splitlines()]
    return {each[2]: each[4].encode().decode("unicode_escape") for each in fields if len(each) > 4}


def number_of(device):
    return text_of(os.stat(device).st_rdev)


def text_of(number):
    return "%d:%d" % (os.major(number), os.minor(number))


def lose_unsynced(devices, pids):
    """What a server has written only to its memory is in the page cache of this kernel, which outlives the server.

    pids: its processes, which should be stopped: from now on each gets EIO.
    """
    left, seen = {number_of(device) for device in devices}, set()
    for pid in pids:
        try:
            namespace = os.readlink("/proc/%d/ns/mnt" % pid)
            if not left or namespace in seen:
                continue
            seen.add(namespace)
            with open("/proc/%d/mountinfo" % pid, encoding="utf-8") as file:
                mounted = mount_points(file.read())
            for number in left & set(mounted):
                shut_down(number, "/proc/%d/root%s" % (pid, mounted[number]))
                left.discard(number)
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has ended meanwhile


def shut_down(number, path):
    handle = os.open(path, os.O_RDONLY)
    try:
        found = text_of(os.fstat(handle).st_dev)
        if found != number:
            raise OSError("%s is on %s, not on %s" % (path, found, number))
        fcntl.ioctl(handle, FS_IOC_SHUTDOWN, struct.pack("I", WITHOUT_JOURNAL))
    finally:
        os.close(handle)
