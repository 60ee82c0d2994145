/**
 * Python program: SERVER NAME SECONDS. Asks a DNS server for an IPv4 address of a name, over UDP and then over TCP, and prints "answers", or
 * "silent: WHY". Any server that knows the name or says that it has none answers; SERVFAIL and REFUSED are no answers.
 */
export const dnsQuestion = `
import os, socket, struct, sys
server, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
number = struct.unpack("!H", os.urandom(2))[0]
labels = b"".join(bytes([len(each)]) + each.encode() for each in name.split("."))
question = struct.pack("!6H", number, 0x0100, 1, 0, 0, 0) + labels + b"\\0" + struct.pack("!2H", 1, 1)

def whole(stream, size):
    data = b""
    while len(data) < size:
        more = stream.recv(size - len(data))
        if not more:
            raise OSError("the connection was closed")
        data += more
    return data

def ask(kind):
    with socket.socket(socket.AF_INET6 if ":" in server else socket.AF_INET, kind) as s:
        s.settimeout(seconds)
        s.connect((server, 53))
        if kind == socket.SOCK_DGRAM:
            s.send(question)
            return s.recv(4096)
        s.sendall(struct.pack("!H", len(question)) + question)
        return whole(s, struct.unpack("!H", whole(s, 2))[0])

why = ""
for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
    try:
        said = ask(kind)
        same, flags = struct.unpack("!2H", said[:4])
        if same == number and flags & 0x8000 and flags & 15 in (0, 3):
            print("answers")
            break
        why = "it answers with the error code %d" % (flags & 15)
    except Exception as error:
        why = str(error) or type(error).__name__
else:
    print("silent: %s does not tell the address of %s: %s" % (server, name, why))
`;
