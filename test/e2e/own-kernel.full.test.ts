import { strict as assert } from "node:assert";
import { release } from "node:os";
import { ensureBundle } from "../../tools/bundle";
import { asStory } from "../support/story";
import { clusterArguments, command, eventually, type Fixture, openFixture } from "./cluster-fixture";
import { apply, footprints } from "./cluster-observed";

const nodePort = 30080;

/** A web server behind a NodePort. Its page is on a volume that the node's kernel mounts by NFS. */
const web = (server: string) => [
    {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "web", labels: { app: "web" } },
        spec: {
            terminationGracePeriodSeconds: 1,
            volumes: [{ name: "www", nfs: { server, path: "/srv/www" } }],
            containers: [
                {
                    name: "web",
                    image: "pulumi-nfv.invalid/tools:1",
                    command: ["sh", "-c", 'echo "a page by NFS" >/www/index.html; exec httpd -f -p 8080 -h /www'],
                    volumeMounts: [{ name: "www", mountPath: "/www" }],
                    readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 2, timeoutSeconds: 10 },
                },
            ],
        },
    },
    {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "web" },
        spec: { type: "NodePort", selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080, nodePort }] },
    },
];

const patient = (name: string) => `spec: { containers: [{ name: ${name}, livenessProbe: { failureThreshold: 90 } }] }`;

/** What nodes of the lab cannot show, because they share one kernel: cgroups of version 2, modules, nftables, NFS in the kernel, swap, a boot. */
describe("a machine with a kernel of its own", function () {
    this.timeout("60m");
    asStory(this);
    let fixture: Fixture;
    let untouched = "";

    const on = (text: string) => fixture.lab.mustSsh("m1", text);
    const up = async (options: object = {}) => {
        const began = Date.now();
        // Without KVM a step may not end within its time: the next run goes on from it.
        for (let stopped = 0; ; stopped++)
            try {
                await fixture.project.up(options);
                break;
            } catch (error) {
                const [step] = /step "[^"]*" failed: .*/.exec(String(error)) ?? [];
                if (step === undefined || stopped === 2) throw error;
                console.log(`      goes on after ${step}`);
            }
        console.log(`      up: ${Math.round((Date.now() - began) / 1000)} s`);
    };
    const page = () =>
        command(fixture.lab.enter(["curl", "-sfm", "10", `http://${fixture.lab.node("m1").address}:${nodePort}/`]));
    const isWhole = () =>
        eventually(300, async () => {
            assert.match(await fixture.kubectl("get", "nodes", "--no-headers"), /^m1 +Ready /);
            assert.equal(await page(), "a page by NFS\n");
        });
    const enableSwap = `[ -e /swapfile ] || { dd if=/dev/zero of=/swapfile bs=1M count=128 status=none; chmod 600 /swapfile; mkswap -q /swapfile; }
        grep -q swapfile /etc/fstab || echo '/swapfile none swap sw 0 0' >>/etc/fstab; swapon /swapfile`;

    before(async () => {
        fixture = await openFixture({ name: "kernel", nodes: ["m1"], image: "machine" });
        untouched = (await footprints(fixture))["m1"]!;
        const args = clusterArguments(fixture.lab, { masters: ["m1"], workers: [] }) as any;
        args.kubernetes.source = { bundle: { path: await ensureBundle({}) } };
        args.kubernetes.startTimeoutSeconds = 900;
        args.controlPlane.taints = [];
        // Without KVM a component may not answer for minutes while another one starts: none is to be restarted for that.
        args.controlPlane.patches = Object.fromEntries(
            ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"].map(name => [
                `${name}+strategic`,
                patient(name),
            ]),
        );
        const alone = { "leader-elect": "false" };
        args.controlPlane.extraArgs = { controllerManager: alone, scheduler: alone };
        args.kubeProxy = { mode: "nftables" };
        // What nodes of the lab need, and a machine does not.
        delete args.kubelet;
        delete args.registries;
        const secrets = { privateKey: fixture.lab.node("m1").privateKey };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
    });
    after(() => fixture?.close());

    it("becomes a node: cgroups of version 2, its modules loaded, the swap that it had is off", async () => {
        await on(enableSwap);
        await up();
        const [kernel, cgroups, modules, swaps] = [
            await on("uname -r"),
            await on("stat -fc %T /sys/fs/cgroup"),
            await on("cat /proc/modules"),
            await on("cat /proc/swaps"),
        ];
        assert.notEqual(kernel.trim(), release());
        assert.equal(cgroups.trim(), "cgroup2fs");
        for (const name of ["br_netfilter", "overlay", "nf_tables"])
            assert.match(modules, new RegExp(`^${name} `, "m"));
        assert.doesNotMatch(swaps, /swapfile/);
        console.log(`      Linux ${kernel.trim()}`);
    });

    it("needs nothing in a second run", () => up({ expectNoChanges: true }));

    it("serves a NodePort through nftables, with a page on a volume of the kernel's NFS", async () => {
        await on(`mkdir -p /srv/www && chmod 777 /srv/www
            echo '/srv/www *(rw,no_subtree_check,insecure)' >/etc/exports && systemctl start nfs-server`);
        await eventually(120, () => apply(fixture, ...web(fixture.lab.node("m1").address)));
        await isWhole();
        assert.match(await on("nft list tables"), /^table ip kube-proxy$/m);
        assert.equal((await on("cat /srv/www/index.html")).trim(), "a page by NFS");
        assert.match(await on("cat /proc/mounts"), /^\S+:\/srv\/www \S+ nfs4? /m);
    });

    it("has its settings back after somebody changed a kernel parameter and turned swap on", async () => {
        await on(`sysctl -qw net.ipv4.ip_forward=0; ${enableSwap}`);
        const { output } = await fixture.project.start(["refresh", "--yes", "--skip-preview"]).done;
        assert.match(output, /ip_forward/);
        assert.match(output, /swap/);
        await up();
        assert.match(await on("sysctl net.ipv4.ip_forward"), /= 1/);
        assert.doesNotMatch(await on("cat /proc/swaps"), /swapfile/);
        await isWhole();
    });

    it("is a node again after a boot, and a refresh finds nothing", async () => {
        const began = Date.now();
        await on("systemctl enable -q nfs-server");
        await fixture.lab.reboot("m1");
        await isWhole();
        console.log(`      whole ${Math.round((Date.now() - began) / 1000)} s after the order to boot`);
        await up({ refresh: true, expectNoChanges: true });
    });

    it("is as it was after `pulumi destroy`", async () => {
        await eventually(120, () => fixture.kubectl("delete", "pod", "web", "--wait", "--ignore-not-found"));
        await on("systemctl disable -q --now nfs-server");
        await fixture.project.destroy();
        await eventually(120, async () => assert.equal((await footprints(fixture))["m1"], untouched));
    });
});
