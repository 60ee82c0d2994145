import assert from "node:assert/strict";
import { Lab } from "../../../../lab";
import { run } from "../../../../lab/process";
import type { HostSpec } from "../../../../provider/common/model";
import { resetHost } from "../../../../provider/host/reset-host";
import { keepOriginals } from "../../../../provider/node/keep-originals";
import { configureRegistries } from "../../../../provider/node/runtime/configure-container-runtime";
import { setHostname } from "../../../../provider/node/set-hostname";
import { turnSwapOff } from "../../../../provider/node/turn-swap-off";
import { writeHostsFile } from "../../../../provider/node/write-hosts-file";
import { quote } from "../../../../provider/ssh";
import type { Connection, SshTarget } from "../../../../provider/ssh/types";
import type { StepBody } from "../../../../provider/steps";
import { skipIf } from "../../../support/skip";
import { hostSpec } from "../../../unit/provider/sample-specs";
import { startOperator } from "../steps/operator";

/** A package without files. */
const debianPackage = (name: string, depends = "") => `
    mkdir -p /tmp/${name}/DEBIAN
    printf 'Package: ${name}\\nVersion: 1\\nArchitecture: all\\nMaintainer: t <t@x>\\nDescription: t\\n${depends && `Depends: ${depends}\\n`}' >/tmp/${name}/DEBIAN/control
    dpkg-deb --build /tmp/${name} /tmp/${name}.deb >/dev/null
    dpkg -i /tmp/${name}.deb >/dev/null
`;

const fstabBefore = "UUID=a / ext4 defaults 0 1\n/dev/sdb1 none swap sw 0 0\n";
const newDisk = "/dev/sdc1 /data ext4 defaults 0 2\n";
const theirRegistry = "/etc/containerd/certs.d/registry.local_5000_";

describe("a machine that leaves, real", () => {
    let lab: Lab;
    let target: SshTarget;
    let nameBefore: string;
    const on = (command: string) => lab.mustSsh("w1", command);
    const file = async (path: string) => (await lab.ssh("w1", `cat ${path} 2>/dev/null || echo absent`)).stdout;
    const installed = async (name: string) =>
        (await lab.ssh("w1", `dpkg -s ${name} 2>/dev/null`)).stdout.includes("ok installed");

    const spec = (registries: string[]): HostSpec =>
        hostSpec({
            name: "core-w1",
            role: "worker",
            source: { image: {} },
            registries: registries.map(registry => ({ registry, endpoints: ["https://mirror.x"], ca: "our CA\n" })),
        });
    const prepare = async (registries: string[]) => {
        const factories = [keepOriginals, setHostname, writeHostsFile, turnSwapOff, configureRegistries];
        const bodies = factories.map(factory => factory(spec(registries)) as StepBody);
        const { clusterId, name: node } = spec(registries);
        const output = await startOperator({ target, of: { clusterId, node }, bodies }, lab.enter([])).finished;
        assert.match(output, /exit 0\n$/, output);
    };
    const reset = () => {
        const connection = {
            target,
            exec: (argv: readonly string[], { stdin }: { stdin?: string } = {}) =>
                run([...lab.sshArgv("w1", "root"), quote(argv)], { stdin, anyExit: true }),
        } as unknown as Connection;
        return resetHost({ spec: spec(["registry.local:5000"]), connection, report: () => {} });
    };

    before(async function () {
        skipIf(this, process.getuid?.() !== 0 && "lab nodes need root");
        lab = await Lab.up({ name: "leaving", nodes: ["w1"] });
        const { address, user, privateKey, hostKey } = lab.node("w1");
        target = { host: address, user, privateKey, hostKey, connectTimeoutSeconds: 5 };
        nameBefore = await file("/etc/hostname");
        await on(`printf '${fstabBefore}' >/etc/fstab
            mkdir -p ${theirRegistry}
            printf theirs >${theirRegistry}/hosts.toml
            ${debianPackage("nfv-one")} ${debianPackage("nfv-two")} ${debianPackage("nfv-three", "nfv-two")}
            mkdir -p /var/lib/pulumi-nfv
            printf 'nfv-one\\nnfv-two\\nnfv-three\\n' >/var/lib/pulumi-nfv/installed-packages`);
        await prepare(["registry.local:5000", "second.local"]);
        await prepare(["registry.local:5000", "third.local"]);
    });
    after(() => lab?.down());

    it("has its originals on the disk before the first change", async () => {
        assert.equal(await file("/var/lib/pulumi-nfv/original/etc/fstab"), fstabBefore);
        assert.equal(await file(`/var/lib/pulumi-nfv/original${theirRegistry}/hosts.toml`), "theirs");
        assert.match(await file("/etc/fstab"), /^# pulumi-nfv: \/dev\/sdb1 none swap/m);
        assert.match(await file(`${theirRegistry}/hosts.toml`), /mirror\.x/);
    });

    it("loses a registry that is no longer wanted at once, and only what was ours of it", async () => {
        assert.equal(await file("/etc/containerd/certs.d/second.local/hosts.toml"), "absent\n");
        assert.match(await file("/etc/containerd/certs.d/third.local/hosts.toml"), /mirror\.x/);
    });

    it("keeps what others changed meanwhile: disks, names, packages, registries", async () => {
        await on(`printf '${newDisk}' >>/etc/fstab
            echo '10.1.1.1 storage' >>/etc/hosts
            echo their CA >${theirRegistry}/site.crt
            ${debianPackage("site-tool", "nfv-three")}`);
        await reset();
        assert.equal(await file("/etc/fstab"), fstabBefore + newDisk);
        const hosts = await file("/etc/hosts");
        assert.match(hosts, /^10\.1\.1\.1 storage$/m);
        assert.doesNotMatch(hosts, /pulumi-nfv|core-w1/);
        assert.equal(await file("/etc/hostname"), nameBefore);
        assert.equal(await on("hostname"), nameBefore);
        assert.equal(await file(`${theirRegistry}/hosts.toml`), "theirs");
        assert.equal(await file(`${theirRegistry}/ca.crt`), "absent\n");
        assert.equal(await file(`${theirRegistry}/site.crt`), "their CA\n");
        assert.equal(await file("/etc/containerd/certs.d/third.local"), "absent\n");
        const packages = ["site-tool", "nfv-three", "nfv-two", "nfv-one"];
        const left = await Promise.all(packages.map(installed));
        assert.deepEqual(left, [true, true, true, false], "ours that site-tool needs stay, directly or not");
        assert.equal(await file("/var/lib/pulumi-nfv/original/etc/fstab"), "absent\n");
    });

    it("keeps a name that somebody gave it since", async () => {
        await prepare([]);
        await on("echo storage-7 >/etc/hostname");
        await reset();
        assert.equal(await file("/etc/hostname"), "storage-7\n");
    });
});
