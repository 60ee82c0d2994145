import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/*
 * Debian packages, and a folder of them as a flat repository, made with dpkg-deb of this machine.
 */

export interface DebianPackage {
    name: string;
    version: string;
    /** Further lines of its control file. */
    control?: string;
    /** Path in the package → its text, or a file of this machine. */
    files?: Record<string, { text: string; mode?: number } | { from: string }>;
    conffiles?: readonly string[];
    /** Shell. */
    postinst?: string;
}

export const stanza = ({ name, version, control = "" }: DebianPackage) =>
    `Package: ${name}\n${control}Version: ${version}\nArchitecture: amd64\nMaintainer: x <x@x>\nDescription: x\n`;

/** Builds a package into a folder. */
export function buildPackage(into: string, made: DebianPackage): void {
    const { files = {}, conffiles = [], postinst } = made;
    const folder = mkdtempSync(join(tmpdir(), "nfv-deb-"));
    const put = (path: string, content: string | Buffer, mode = 0o644) => {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), content);
        chmodSync(join(folder, path), mode);
    };
    try {
        chmodSync(folder, 0o755);
        put("DEBIAN/control", stanza(made));
        if (conffiles.length > 0) put("DEBIAN/conffiles", conffiles.map(each => `${each}\n`).join(""));
        if (postinst !== undefined) put("DEBIAN/postinst", `#!/bin/sh\n${postinst}\n`, 0o755);
        for (const [path, file] of Object.entries(files)) {
            if ("from" in file) put(path, readFileSync(file.from), 0o755);
            else put(path, file.text, file.mode);
        }
        mkdirSync(into, { recursive: true });
        execFileSync("dpkg-deb", ["-b", "-Znone", "--root-owner-group", folder, into], { stdio: "ignore" });
    } finally {
        rmSync(folder, { recursive: true });
    }
}

const sumOf = (content: Buffer | string) => createHash("sha256").update(content).digest("hex");

/** Writes the index of a folder of packages. */
export function indexPackages(folder: string): void {
    const rows = readdirSync(folder)
        .filter(name => name.endsWith(".deb"))
        .map(name => {
            const content = readFileSync(join(folder, name));
            const control = execFileSync("dpkg-deb", ["-f", join(folder, name)], { encoding: "utf8" });
            return `${control}Filename: ./${name}\nSize: ${content.length}\nSHA256: ${sumOf(content)}\n`;
        });
    writeFileSync(join(folder, "Packages"), rows.join("\n"));
}

/** Signs the index with a new key. Returns the key's public part. */
export function signIndex(folder: string): string {
    const home = mkdtempSync(join(tmpdir(), "nfv-gpg-"));
    const gpg = (...argv: string[]) =>
        execFileSync("gpg", ["--homedir", home, "--batch", "--quiet", "--passphrase", "", ...argv], {
            encoding: "utf8",
        });
    try {
        chmodSync(home, 0o700);
        gpg("--quick-gen-key", "packages <packages@site.invalid>", "ed25519", "sign", "never");
        const index = readFileSync(join(folder, "Packages"));
        const release = join(folder, "Release");
        writeFileSync(
            release,
            `Suite: stable\nDate: ${new Date().toUTCString()}\nSHA256:\n ${sumOf(index)} ${index.length} Packages\n`,
        );
        rmSync(join(folder, "InRelease"), { force: true });
        gpg("--clearsign", "--output", join(folder, "InRelease"), release);
        return gpg("--armor", "--export");
    } finally {
        execFileSync("gpgconf", ["--homedir", home, "--kill", "gpg-agent"]);
        rmSync(home, { recursive: true, force: true });
    }
}
