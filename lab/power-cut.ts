import { readFileSync, readlinkSync, statSync } from "node:fs";
import { run } from "./process";

/**
 * FS_IOC_SHUTDOWN without a flush of the journal; argv: device numbers, each with a path. Node.js has no ioctl. Another file system may be mounted over
 * the path, or the path may be this host's, where a process has ended and its number belongs to another one.
 */
const program = `use Fcntl;
while (my ($number, $path) = splice(@ARGV, 0, 2)) {
    my ($file, $how) = (undef, pack("L", 2));
    sysopen($file, $path, O_RDONLY) or die "$path: $!\\n";
    my $is = (stat($file))[0];
    $is = (($is >> 8) & 0xfff) . ":" . (($is & 0xff) | (($is >> 12) & 0xfff00));
    $is eq $number or die "$path is on $is, not on $number\\n";
    defined ioctl($file, 0x8004587d, $how) or die "$path: $!\\n";
}`;

/** Of each file system: its device number, and a path on it. */
export async function shutDown(places: readonly (readonly [number: string, path: string])[]): Promise<void> {
    if (places.length > 0) await run(["perl", "-e", program, ...places.flat()]);
}

/** Mount points by device number ("7:3") from the text of a mountinfo; one for each device. */
export function mountPoints(mountinfo: string): Map<string, string> {
    const lines = mountinfo.split("\n").map(line => line.split(" "));
    const unescaped = (path: string) => path.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8)));
    return new Map(lines.flatMap(fields => (fields[4] ? [[fields[2]!, unescaped(fields[4])]] : [])));
}

/** "7:3" of a block device. */
function numberOf(device: string): string {
    // The layout of Linux's dev_t for small numbers; loop devices have no others.
    const number = statSync(device).rdev;
    return `${(number >> 8) & 0xfff}:${(number & 0xff) | ((number >> 12) & 0xfff00)}`;
}

/**
 * Makes the file systems on `devices` lose what nobody has synced, as a power cut does: what a machine has written only to its memory is in
 * the page cache of this kernel, which outlives the machine. `pids`: the machine's processes, which should be stopped: from now on each gets EIO.
 */
export async function loseUnsynced(devices: readonly string[], pids: readonly number[]): Promise<void> {
    const left = new Set(devices.map(numberOf));
    const seen = new Set<string>();
    const places: [string, string][] = [];
    for (const pid of pids) {
        try {
            const namespace = readlinkSync(`/proc/${pid}/ns/mnt`);
            if (left.size === 0 || seen.has(namespace)) continue;
            seen.add(namespace);
            const mounted = mountPoints(readFileSync(`/proc/${pid}/mountinfo`, "utf8"));
            for (const device of left) {
                const point = mounted.get(device);
                if (point === undefined) continue;
                places.push([device, `/proc/${pid}/root${point}`]);
                left.delete(device);
            }
        } catch (error) {
            // It has ended meanwhile.
            if (!["ENOENT", "ESRCH", "EINVAL"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
        }
    }
    await shutDown(places);
}
