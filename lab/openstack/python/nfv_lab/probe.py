"""probe.py MAC ADDRESS/BITS GATEWAY WORD SECONDS: a machine that is only its network card, eth0, in the namespace where it is started.

Prints the address that DHCP offers to MAC; ends without one after SECONDS. Then says WORD to whoever connects to port 22.
"""
import os
import select
import socket
import struct
import subprocess
import sys
import time

MAGIC = b"\x63\x82\x53\x63"


def discover(mac, number):
    """A DHCPDISCOVER whose answer shall be broadcast."""
    hardware = bytes.fromhex(mac.replace(":", ""))
    head = struct.pack("!BBBBIHH", 1, 1, 6, 0, number, 0, 0x8000)
    return head + bytes(16) + hardware + bytes(10 + 64 + 128) + MAGIC + bytes([53, 1, 1, 255])


def offered(packet, number):
    """The address in an offer with this number."""
    if len(packet) < 240 or packet[0] != 2 or struct.unpack("!I", packet[4:8])[0] != number:
        return None
    return socket.inet_ntoa(packet[16:20])


def ask(mac, seconds):
    number = int.from_bytes(os.urandom(4), "big")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"eth0")
        client.bind(("0.0.0.0", 68))
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            client.sendto(discover(mac, number), ("255.255.255.255", 67))
            if select.select([client], [], [], 1)[0]:
                address = offered(client.recv(2048), number)
                if address:
                    return address
    return None


def main(mac, address, gateway, word, seconds):
    for words in ("link set lo up", "link set eth0 up", "addr add %s dev eth0" % address,
                  "route add default via " + gateway):
        subprocess.run(["ip", *words.split()], check=True)
    found = ask(mac, float(seconds))
    if not found:
        sys.exit("none in %s s" % seconds)
    print(found, flush=True)
    with socket.create_server(("", 22)) as server:
        server.settimeout(2 * float(seconds))  # the proof may have been killed
        while True:
            connection = server.accept()[0]
            connection.sendall(word.encode())
            connection.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
