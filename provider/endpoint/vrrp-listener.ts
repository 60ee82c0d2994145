/**
 * Python program: INTERFACE VRID SECONDS. Prints the addresses of the machines that advertise this virtual router id by
 * multicast. Unicast adverts of other clusters do not reach this node and do no harm.
 */
export const vrrpListener = `
import socket, struct, sys, time
interface, vrid, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 112)
s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
membership = socket.inet_aton("224.0.0.18") + socket.inet_aton("0.0.0.0") + struct.pack("@i", socket.if_nametoindex(interface))
s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, membership)
end, seen = time.monotonic() + seconds, set()
while True:
    left = end - time.monotonic()
    if left <= 0:
        break
    s.settimeout(left)
    try:
        packet, (source, _) = s.recvfrom(2048)
    except socket.timeout:
        break
    header = (packet[0] & 15) * 4
    # type 1 of version 2 or 3; the address as destination tells multicast from our own unicast
    if len(packet) > header + 1 and packet[header] & 15 == 1 and packet[header + 1] == vrid and packet[16:20] == membership[:4]:
        seen.add(source)
print("\\n".join(sorted(seen)))
`;
