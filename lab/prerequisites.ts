import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ensurePackages } from "../tools/system-packages";

/** Programs that the lab calls on the machine, and their Debian packages. Everything else runs inside images. */
const programs: Record<string, string> = {
    "systemd-nspawn": "systemd-container",
    mmdebstrap: "mmdebstrap",
    ip: "iproute2",
    ssh: "openssh-client",
    "ssh-keygen": "openssh-client",
    nsenter: "util-linux",
    losetup: "mount",
    openssl: "openssl",
};

const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/sbin"];

export function missingPackages(): string[] {
    const missing = Object.entries(programs).filter(
        ([name]) => !folders.some(folder => existsSync(join(folder, name))),
    );
    return [...new Set(missing.map(([, name]) => name))];
}

export async function ensurePrerequisites(): Promise<void> {
    if (process.getuid?.() !== 0) {
        throw new Error("the lab makes network namespaces and mounts: run it as root");
    }
    const missing = missingPackages();
    if (missing.length > 0) {
        await ensurePackages(missing, "the lab's nodes");
    }
}
