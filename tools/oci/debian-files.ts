import { existsSync } from "node:fs";
import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { NfvError } from "../../provider/common/errors";
import { hasDebianPackages, unpackedPackages } from "../debian-packages";
import type { Progress } from "../progress";
import { run } from "../run";
import type { LayerContent } from "./layer";

/** Debian's packages whose programs go into images, without those that they depend on. */
interface DebianParts {
    name: string;
    packages: string[];
    /** Programs that must be there. */
    programs: string[];
    /** Which images need them. */
    why: string;
}

const mozilla = "usr/share/ca-certificates/mozilla";

const authorities: DebianParts = {
    name: "authority-files",
    packages: ["ca-certificates"],
    programs: [mozilla],
    why: "the images that talk to the cloud",
};

/** What Cinder CSI calls to find, check, format, mount and grow volumes. */
const diskPrograms = [
    ...["bin/mount", "bin/umount", "bin/findmnt", "bin/lsblk", "bin/udevadm", "sbin/blkid", "sbin/blockdev"],
    ...["sbin/fsck", "sbin/e2fsck", "sbin/mke2fs", "sbin/resize2fs", "sbin/dumpe2fs"],
    ...["sbin/mkfs.xfs", "sbin/xfs_repair", "sbin/xfs_io", "sbin/xfs_growfs"],
];

const everyBundle: DebianParts = {
    name: "debian-files",
    packages: ["iptables", "nftables", "conntrack", "kmod", "netbase", "busybox-static"],
    programs: ["usr/sbin/xtables-nft-multi", "usr/sbin/nft", "usr/sbin/conntrack", "bin/kmod", "bin/busybox"],
    why: "the images of kube-proxy and of our own",
};

const nfsClient: DebianParts = {
    name: "nfs-files",
    packages: ["nfs-common", "mount", "netbase", "coreutils", "tar", "gzip", "dash"],
    programs: ["bin/mount", "bin/umount", "sbin/mount.nfs", "bin/cp", "bin/tar", "bin/gzip", "bin/dash"],
    why: "the image of the NFS CSI driver",
};

const disks: DebianParts = {
    name: "disk-files",
    packages: ["mount", "util-linux", "e2fsprogs", "xfsprogs", "udev", "netbase"],
    programs: diskPrograms,
    why: "the image of Cinder CSI",
};

/**
 * A folder with the files of Debian's packages, not installed: unpacked into the cache. If apt cannot provide them, the machine's
 * own root folder, if it has all of them.
 */
async function filesOf({ name, packages, programs, why }: DebianParts, progress: Progress): Promise<string> {
    if (await hasDebianPackages()) return unpackedPackages({ group: "oci", name, packages, why }, progress);
    const missing = programs.filter(program => !existsSync(join("/", program)) && !existsSync(join("/usr", program)));
    if (missing.length > 0) {
        throw new NfvError({
            code: "TOOL_MISSING",
            step: "container images",
            cause: `without apt-get these must be installed: ${missing.map(path => `/${path}`).join(", ")}`,
        });
    }
    return "/";
}

export const debianFiles = (progress: Progress) => filesOf(everyBundle, progress);
export const authorityFiles = (progress: Progress) => filesOf(authorities, progress);
export const nfsFiles = (progress: Progress) => filesOf(nfsClient, progress);
export const diskFiles = (progress: Progress) => filesOf(disks, progress);

/** What kube-proxy calls, under merged /usr: programs, iptables' extensions, and every library that they need. */
export async function iptablesContent(root: string): Promise<LayerContent> {
    const needed = ["sbin/xtables-nft-multi", "sbin/nft", "sbin/conntrack", "bin/kmod"];
    const extensions = await readdir(finder(root)("lib/x86_64-linux-gnu/xtables"));
    const modules = extensions.filter(name => name.endsWith(".so")).map(name => `lib/x86_64-linux-gnu/xtables/${name}`);
    const aliases = ["iptables", "ip6tables"].flatMap(name => [name, `${name}-save`, `${name}-restore`]);
    return dynamicContent(root, needed, modules, {
        "/usr/sbin/modprobe": "../bin/kmod",
        ...Object.fromEntries(aliases.map(name => [`/usr/sbin/${name}`, "xtables-nft-multi"])),
    });
}

/**
 * What the NFS CSI driver calls: mount and umount, and their helper for NFS with the names of transports (libtirpc); cp for clones; for
 * snapshots tar, which runs gzip by the shell.
 */
export async function nfsContent(root: string): Promise<LayerContent> {
    const helpers = ["mount.nfs4", "umount.nfs", "umount.nfs4"].map(name => [`/usr/sbin/${name}`, "mount.nfs"]);
    const links = { ...Object.fromEntries(helpers), "/usr/bin/sh": "dash" };
    const content = await dynamicContent(root, nfsClient.programs, [], links);
    return { ...content, files: { ...content.files, "/etc/netconfig": join(root, "etc/netconfig") } };
}

/** The public authorities, one file for each: Go reads the whole folder. The package makes its one file only when it is installed. */
export async function authorityContent(root: string): Promise<LayerContent> {
    const names = await readdir(join(root, mozilla));
    return { files: Object.fromEntries(names.map(name => [`/etc/ssl/certs/${name}`, join(root, mozilla, name)])) };
}

/** The programs by which Cinder CSI handles disks. The names of ext4's tools are one program. */
export async function diskContent(root: string): Promise<LayerContent> {
    const links = {
        ...Object.fromEntries(["mkfs.ext3", "mkfs.ext4"].map(name => [`/usr/sbin/${name}`, "mke2fs"])),
        ...Object.fromEntries(["fsck.ext3", "fsck.ext4"].map(name => [`/usr/sbin/${name}`, "e2fsck"])),
    };
    const content = await dynamicContent(root, diskPrograms, [], links);
    return { ...content, files: { ...content.files, "/etc/mke2fs.conf": join(root, "etc/mke2fs.conf") } };
}

/** Programs with every library that they and the modules need, under merged /usr. Paths are relative to /usr. */
export async function dynamicContent(
    root: string,
    needed: string[],
    modules: string[],
    links: Record<string, string>,
): Promise<LayerContent> {
    const find = finder(root);
    const tools = Object.fromEntries(needed.map(path => [`/usr/${path}`, find(path)]));
    const loader = find("lib/x86_64-linux-gnu/ld-linux-x86-64.so.2");
    const libraries = await librariesOf(root, loader, [...Object.values(tools), ...modules.map(find)]);
    return {
        programs: { ...tools, "/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2": loader },
        files: {
            ...Object.fromEntries([...modules, ...libraries].map(path => [`/usr/${path}`, find(path)])),
            "/etc/protocols": join(root, "etc/protocols"),
            "/etc/services": join(root, "etc/services"),
        },
        links: {
            "/bin": "usr/bin",
            "/sbin": "usr/sbin",
            "/lib": "usr/lib",
            "/lib64/ld-linux-x86-64.so.2": "../usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2",
            ...links,
        },
        texts: {
            "/etc/passwd": "root:x:0:0:root:/root:/bin/sh\n",
            "/etc/group": "root:x:0:\n",
        },
        folders: ["/run", "/tmp", "/var/lib"],
    };
}

export function busyboxProgram(root: string): string {
    return finder(root)("bin/busybox");
}

/** Names of the programs in busybox. */
export async function busyboxApplets(busybox: string): Promise<string[]> {
    const names = (await run([busybox, "--list"])).split("\n");
    return names.filter(name => name !== "" && name !== "busybox");
}

/** Bookworm's packages still have files in /bin, /sbin and /lib; newer ones in /usr. */
function finder(root: string): (path: string) => string {
    return path => {
        const found = [join(root, "usr", path), join(root, path)].find(candidate => existsSync(candidate));
        if (!found) {
            throw new NfvError({ code: "TOOL_MISSING", step: "container images", cause: `no ${path} in ${root}` });
        }
        return found;
    };
}

/** Libraries that a program needs, by the paths that they have in the packages' folder. */
export function librariesIn(root: string, program: string): Promise<string[]> {
    return librariesOf(root, finder(root)("lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"), [program]);
}

/** "lib/x86_64-linux-gnu/libc.so.6": listed by the loader, which runs none of the files for this. */
async function librariesOf(root: string, loader: string, files: string[]): Promise<string[]> {
    const folders = ["usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu"].map(folder => join(root, folder)).join(":");
    const found = new Set<string>();
    for (const file of files) {
        const list = await run([await realpath(loader), "--library-path", folders, "--list", file]);
        for (const [, name, path] of list.matchAll(/^\s*(\S+) => (\S+)/gm)) {
            if (path === "not") {
                throw new NfvError({ code: "TOOL_MISSING", step: "container images", cause: `${file} needs ${name}` });
            }
            if (!name.includes("ld-linux")) {
                found.add(`lib/x86_64-linux-gnu/${name}`);
            }
        }
    }
    return [...found].sort();
}
