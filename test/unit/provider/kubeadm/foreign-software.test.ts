import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { NfvError } from "../../../../provider/common/errors";
import { haproxyConfig } from "../../../../provider/endpoint/haproxy-config";
import { keepalivedConfig } from "../../../../provider/endpoint/keepalived-config";
import { inTheWay, refuseSoftware, softwareScript } from "../../../../provider/kubeadm/foreign-software";
import { parseMachineStatus } from "../../../../provider/kubeadm/machine-status";
import { hostSpec, hostSpecs } from "../sample-specs";
import { type ShellRun, shellIn } from "../shell/lib/shell-run";

const none = { running: [], packages: [], units: [], balancers: [] };

describe("the look at software of others", () => {
    let shell: ShellRun;
    beforeEach(() => {
        shell = shellIn("sh");
        shell.program("ps", `cat '${join(shell.folder, "processes")}' 2>/dev/null`);
        shell.program(
            "dpkg-query",
            `grep -qx "$4" '${join(shell.folder, "packages")}' 2>/dev/null && printf installed`,
        );
        shell.program("systemctl", `grep -qx "$3" '${join(shell.folder, "active")}' 2>/dev/null`);
    });
    afterEach(() => shell.remove());

    const put = (file: string, content: string) => {
        mkdirSync(dirname(join(shell.folder, file)), { recursive: true });
        writeFileSync(join(shell.folder, file), content);
    };
    const look = () => {
        const { stdout, stderr, status } = shell.run(softwareScript.replace(/\/(etc|opt)\//g, `${shell.folder}/$1/`));
        assert.deepEqual([stderr, status], ["", 0]);
        return parseMachineStatus(stdout.replaceAll(shell.folder, "")).software;
    };

    it("sees none on a blank machine, and none in the usual processes", () => {
        assert.deepEqual(look(), none);
        put("processes", "   9999 systemd\n   800 containerd\n   70 dockerd-helper\n");
        assert.deepEqual(look(), none);
    });

    it("sees a Docker daemon and another Kubernetes, each once", () => {
        put("processes", "    100 dockerd\n    100 dockerd\n      3 k3s-server\n  90000 kubelet\n");
        put("opt/rke/x", "");
        assert.deepEqual(look(), {
            ...none,
            running: ["/opt/rke", "process dockerd", "process k3s-server", "process kubelet"],
        });
    });

    it("does not take the kubelet of an image for one, which ends at once until its machine joins", () => {
        put("processes", "      1 kubelet\n");
        assert.deepEqual(look(), none);
    });

    it("sees a unit of kubelet that another cluster left: in the way of that of a package, not of an image's or a bundle's", () => {
        const unit = "/etc/systemd/system/kubelet.service";
        put(unit, "[Service]\n");
        assert.deepEqual(look(), { ...none, units: [unit] });
        const found = { ...none, units: [unit] };
        const refused = (source: object, isEmpty = true) =>
            inTheWay(found, { ...hostSpec(), source }, { isEmpty, getsBalancer: false });
        for (const source of [{ apt: {} }, { dnf: {} }]) assert.deepEqual(refused(source), [unit]);
        for (const source of [{ image: {} }, { bundle: { path: "b", files: [] } }])
            assert.deepEqual(refused(source), []);
        assert.deepEqual(refused({ apt: {} }, false), []);
    });

    it("sees Docker's packages", () => {
        put("packages", "containerd.io\ndocker-ce\n");
        assert.deepEqual(look(), { ...none, packages: ["docker-ce", "containerd.io"] });
        put("packages", "containerd\nkubelet\nkubeadm\ndocker-ce-cli\n");
        assert.deepEqual(look(), none);
    });

    describe("of a load balancer", () => {
        const at = { haproxy: "etc/haproxy/haproxy.cfg", keepalived: "etc/keepalived/keepalived.conf" };
        const spec = hostSpecs["a master with everything"];

        it("sees one that is at work", () => {
            put(at.haproxy, "global\n    daemon\nfrontend shop\n    bind *:443\n");
            put(at.keepalived, "vrrp_instance shop {\n}\n");
            assert.deepEqual(look(), none, "they do not run");
            put("active", "haproxy.service\nkeepalived.service\n");
            const balancers = ["haproxy", "keepalived"] as const;
            assert.deepEqual(
                look()?.balancers,
                balancers.map(name => `${name} with /${at[name]}`),
            );
        });

        it("sees none in what a package brings, and in ours", () => {
            put("active", "haproxy.service\nkeepalived.service\n");
            put(at.haproxy, "global\n    daemon\ndefaults\n    mode http\n");
            assert.deepEqual(look(), none);
            put(at.haproxy, haproxyConfig(spec.endpoint, spec.masters));
            put(at.keepalived, keepalivedConfig(spec));
            assert.deepEqual(look(), none);
        });
    });
});

describe("software of others that is in the way", () => {
    const found = { ...none, running: ["process dockerd"], packages: ["docker-ce"], balancers: ["haproxy"] };
    const [bundle, image] = [hostSpec(), hostSpec({ source: { image: {} } })];
    const [first, later] = [
        { isEmpty: true, getsBalancer: true },
        { isEmpty: false, getsBalancer: false },
    ];

    it("is all of it where nothing of ours was on the machine", () => {
        assert.deepEqual(inTheWay(found, bundle, first), ["process dockerd", "package docker-ce", "haproxy"]);
    });
    it("is no runtime that an image brings for us", () => {
        assert.deepEqual(inTheWay({ ...none, packages: ["containerd.io", "docker-ce"] }, image, first), []);
    });
    it("is no load balancer on a machine that gets none", () => {
        assert.deepEqual(inTheWay({ ...none, balancers: ["haproxy"] }, bundle, { ...first, getsBalancer: false }), []);
    });
    it("is nothing on a machine of ours", () => {
        assert.deepEqual(inTheWay(found, bundle, later), []);
    });
    it("is named in the refusal", () => {
        refuseSoftware("w1", []);
        assert.throws(
            () => refuseSoftware("w1", ["process dockerd", "haproxy"]),
            (error: NfvError) =>
                error.code === "FOREIGN_SOFTWARE" && error.reason.endsWith("\nfound: process dockerd, haproxy"),
        );
    });
});
