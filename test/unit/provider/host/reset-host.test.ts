import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { formersFile } from "../../../../provider/endpoint/side-by-side";
import { resetHost, resetHostScript } from "../../../../provider/host/reset-host";
import { resetNodeScript } from "../../../../provider/member/leave/leave-scripts";
import { replacedFiles } from "../../../../provider/node/keep-originals";
import { originalsFolder } from "../../../../provider/shell/folders";
import { ownSigns } from "../../../../provider/shell/own-signs";
import { hostSpec } from "../sample-specs";
import { FakeNode } from "../steps/fake-node";

const haproxy = "/etc/haproxy/haproxy.cfg";
const keepalived = "/etc/keepalived/keepalived.conf";
const ourHaproxy = `${ownSigns.HAPROXY_FRONTEND}\n    ${ownSigns.HAPROXY_SIGN}\n`;
const vip = { host: "10.0.0.100", port: 16443, vip: { address: "10.0.0.100" } };

describe("a reset in the middle of a change of the endpoint", () => {
    let root: string;
    const at = (file: string) => join(root, file);
    const put = (file: string, content: string) => {
        mkdirSync(dirname(at(file)), { recursive: true });
        writeFileSync(at(file), content);
    };
    const inRoot = (text: string) => text.replace(/\/(etc|var|usr|opt)\b/g, `${root}/$1`);

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-reset-"));
        put("/etc/hosts", "127.0.0.1 localhost\n");
        for (const file of [haproxy, keepalived]) put(file, "ours");
        // copies keep their whole path
        put(`${originalsFolder}${root}${haproxy}`, "theirs");
        put(`${originalsFolder}${root}${keepalived}.absent`, "");
        put(`${originalsFolder}/.services`, "haproxy.service\n");
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    /** A complete reset on a machine whose folders are in one folder. Returns the calls to systemd. */
    const reset = (role: string, loadBalancer = "", script = resetHostScript) => {
        const stubs = `
            systemctl() { echo "systemctl $*"; }
            ctr() { return 1; }
            sync() { :; }
            hostname() { :; }
            ip() { :; }
            command() { return 1; }
        `;
        const { stdout, stderr, status } = spawnSync("sh", ["-eu"], {
            input: stubs + inRoot(script.replace(/^PATH=.*$/m, "")),
            encoding: "utf8",
            env: {
                PATH: process.env["PATH"],
                SOURCE: "image",
                ROLE: role,
                LOAD_BALANCER: loadBalancer,
                OWN_FILES: "",
                REPLACED_FILES: inRoot(replacedFiles.join("\n")),
                WRITTEN: "",
                NAME: "m1",
            },
        });
        assert.deepEqual([stderr, status], ["", 0]);
        return stdout.split("\n");
    };
    it("of a machine whose container runtime nobody used leaves it off again", () => {
        const off = "systemctl -q disable --now containerd.service";
        assert.ok(!reset("worker").includes(off));
        put("/etc/hosts", "127.0.0.1 localhost\n");
        put(`${originalsFolder}/.off`, "containerd.service\n");
        assert.ok(reset("worker").includes(off));
    });

    it("forgets which requests were done: another cluster may give the same word", () => {
        put("/var/lib/pulumi-nfv/requests/os-upgrade", "2026-11 done b\n");
        reset("worker");
        assert.ok(!existsSync(at("/var/lib/pulumi-nfv/requests")));
    });

    const stop = "systemctl -q disable --now keepalived.service haproxy.service";

    it("to one without a virtual address takes the former one from a master, and puts its files back", () => {
        put(formersFile, `${JSON.stringify(vip)}\n`);
        const asked = reset("controlPlane");
        assert.ok(asked.includes(stop), asked.join("\n"));
        assert.ok(asked.indexOf(stop) < asked.indexOf("systemctl -q enable haproxy.service"), "it was there before us");
        assert.deepEqual([readFileSync(at(haproxy), "utf8"), existsSync(at(keepalived))], ["theirs", false]);
        assert.ok(!existsSync(at(formersFile)));
    });

    it("starts again what ran before us, with its own settings, and nothing that only was enabled", () => {
        put(formersFile, `${JSON.stringify(vip)}\n`);
        put(`${originalsFolder}/.services`, "haproxy.service\nkeepalived.service\n");
        put(`${originalsFolder}/.active`, "haproxy.service\nkubelet.service\n");
        const asked = reset("controlPlane");
        const starts = asked.filter(line => line.startsWith("systemctl start"));
        assert.deepEqual(starts, ["systemctl start haproxy.service"]);
        assert.ok(asked.indexOf(starts[0]!) > asked.indexOf("systemctl daemon-reload"));
        assert.equal(readFileSync(at(haproxy), "utf8"), "theirs");
    });

    it("neither starts nor enables a load balancer that it did not use: somebody may have stopped it since", () => {
        for (const note of [".services", ".active"]) {
            put(`${originalsFolder}/${note}`, "haproxy.service\nkeepalived.service\n");
        }
        const asked = reset("worker").filter(line => /start |enable /.test(line) && !line.includes("try-restart"));
        assert.deepEqual(asked, []);
    });

    it("undoes nothing twice: a run that was killed behind it, before its notes went, has put all back", () => {
        put(`${originalsFolder}/.cni`, "10-shop.conflist\n");
        put("/etc/cni/net.d/10-shop.conflist", '{ "name": "shop" }');
        for (let i = 0; i < 2; i++) {
            const [ofNode, ofHost] = [reset("controlPlane", "yes", resetNodeScript), reset("controlPlane", "yes")];
            assert.equal(ofHost.includes(stop), i === 0);
            assert.equal(ofNode.includes("the host was reset already"), i === 1);
            assert.ok(existsSync(at("/etc/cni/net.d/10-shop.conflist")));
        }
    });

    it("ends also where a power cut left a part of the notes of a former reset", () => {
        put(`${originalsFolder}.gone/.cni`, "");
        reset("worker");
        assert.ok(!existsSync(at(originalsFolder)));
        assert.ok(existsSync(at(`${originalsFolder}.gone/.services`)));
    });

    it("takes the container runtime of a bundle away, and starts the distribution's again that it hid", () => {
        put("/usr/local/lib/pulumi-nfv/containerd/2.4.2-1.5.3/containerd", "");
        mkdirSync(at("/usr/local/bin"), { recursive: true });
        symlinkSync(at("/usr/local/lib/pulumi-nfv/containerd/2.4.2-1.5.3/containerd"), at("/usr/local/bin/containerd"));
        const asked = reset("worker");
        const [stops, starts] = ["disable", "enable"].map(verb =>
            asked.indexOf(`systemctl -q ${verb} --now containerd.service`),
        );
        assert.ok(stops! >= 0 && starts! > asked.indexOf("systemctl daemon-reload"), asked.join("\n"));
        for (const path of ["/usr/local/bin/containerd", "/usr/local/lib/pulumi-nfv"])
            assert.ok(!existsSync(at(path)), path);
    });

    it("stops the load balancer of a machine that has lost our notes, if its configuration is ours", () => {
        rmSync(at(originalsFolder), { recursive: true });
        assert.ok(!reset("controlPlane", "yes").includes(stop));
        assert.ok(existsSync(at(haproxy)), "it may be somebody's");
        put(haproxy, ourHaproxy);
        assert.ok(reset("controlPlane", "yes").includes(stop));
        assert.deepEqual(
            [haproxy, keepalived].map(file => existsSync(at(file))),
            [false, true],
        );
    });

    it("leaves all lines of others in /etc/hosts and /etc/fstab", () => {
        put(
            "/etc/hosts",
            "127.0.0.1 localhost\n# pulumi-nfv begin\n10.0.0.11 m1\n# pulumi-nfv end\n10.1.1.1 storage\n",
        );
        put("/etc/fstab", "/dev/sda1 / ext4 defaults 0 1\n# pulumi-nfv: /dev/sdb1 none swap sw 0 0\n");
        reset("worker");
        assert.equal(readFileSync(at("/etc/hosts"), "utf8"), "127.0.0.1 localhost\n10.1.1.1 storage\n");
        assert.equal(
            readFileSync(at("/etc/fstab"), "utf8"),
            "/dev/sda1 / ext4 defaults 0 1\n/dev/sdb1 none swap sw 0 0\n",
        );
    });

    it("leaves a load balancer alone that is none of the cluster's: on a worker, or where the former endpoint had none", () => {
        for (const [role, former] of [
            ["worker", vip],
            ["controlPlane", { host: "lb.example.org", port: 6443 }],
        ] as const) {
            put(`${originalsFolder}/.services`, "");
            put(formersFile, `${JSON.stringify(former)}\n`);
            assert.ok(!reset(role).includes(stop), role);
            for (const file of [haproxy, keepalived]) assert.equal(readFileSync(at(file), "utf8"), "ours", role);
        }
    });
});

describe("a reset of a machine", () => {
    it("says what stays of both its parts", async () => {
        const stays = (what: string) => ({ exitCode: 0, output: `first\nstays: ${what}\nmore\n` });
        const connection = new FakeNode();
        connection.answers["node.reset"] = [stays("/etc/kubernetes/manifests.others/agent.yaml: theirs")];
        connection.answers["host.reset"] = [stays("/etc/hostname: changed")];
        const warned: string[] = [];
        await resetHost({ spec: hostSpec(), connection, report: () => {}, warn: line => warned.push(line) });
        assert.deepEqual(
            warned.map(line => line.split(": ")[2]),
            ["/etc/kubernetes/manifests.others/agent.yaml", "/etc/hostname"],
        );
        assert.deepEqual(connection.started, [
            { id: "node.reset", timeoutSeconds: 300 },
            { id: "host.reset", timeoutSeconds: 600 },
        ]);
    });
});
