import assert from "node:assert/strict";
import { masters } from "../../../../provider/cluster/masters";
import { lookPatience } from "../../../../provider/cluster/new-machines-look";
import { noLookVariable } from "../../../../provider/common/no-look";
import type { Context } from "../../../../provider/contract/types";
import { unknownValue } from "../../../../provider/contract/values";
import { host } from "../../../../provider/host/host";
import { machineStatusArgv } from "../../../../provider/kubeadm/look";
import { systemArgv } from "../../../../provider/node/system-facts";
import type { SshTarget } from "../../../../provider/ssh";
import { queriesArgv } from "../../../../provider/steps/queries";
import { FakeFleet, newKeyPair } from "../../../../testing";
import { checkAs, endRun, listener, machine, testIdentity } from "../support/cluster";

/** As print-system.sh prints it on a machine that is fit. */
const system = (changes: Record<string, string> = {}) => {
    const facts = {
        ...{ time: String(Math.round(Date.now() / 1000)), system: "Debian", machine: "x86_64", kernel: "6.1.0" },
        ...{
            init: "systemd",
            cgroups: "cgroup2fs",
            freeMiB: "50000",
            hasAddress: "yes",
            resolvConf: "/etc/resolv.conf",
            nameserver: "10.0.0.2",
        },
        ...changes,
    };
    const lines = Object.entries(facts).map(([name, value]) => `${name}=${value}`);
    return { stdout: `${[...lines, "program=flock", "program=timeout"].join("\n")}\n` };
};

describe("the look of a preview at machines that are new", () => {
    const names = ["m1", "m2", "m3", "w1", "w2", "w3"];
    const usual = { ...lookPatience };
    let fleet: FakeFleet;
    beforeEach(async () => {
        fleet = await FakeFleet.start({ nodes: names });
        lookPatience.connectSeconds = 3;
    });
    afterEach(async () => {
        Object.assign(lookPatience, usual);
        delete process.env[noLookVariable];
        await endRun();
        await fleet.stop();
    });

    const target = (name: string): SshTarget => fleet.target(name);
    const machineOf = (name: string, connection = target(name)) =>
        JSON.stringify({
            wish: {
                ...{ name, role: name.startsWith("m") ? "controlPlane" : "worker", address: "10.0.0.11" },
                ...{ kubernetesVersion: "1.36.3", source: { image: {} }, endpoint: { host: "10.0.0.100", port: 6443 } },
            },
            connection,
            programPath: `infrastructure.hosts.${name}`,
        });
    const inputs = (toLookAt: Record<string, string>, changes = {}) => ({
        ...{ clusterId: unknownValue, peers: unknownValue, toLookAt },
        ...changes,
    });
    const look = async (
        toLookAt: Record<string, string>,
        { olds = {}, context = listener() as Context & { noted?: string[] }, ...changes }: Record<string, any> = {},
    ) => {
        const asked = inputs(toLookAt, changes);
        const checked = checkAs("Masters", olds, asked, context);
        assert.equal("toLookAt" in checked.inputs, false, "logins are not stored");
        assert.equal(masters.needsCheckInCloud!(olds, asked), true);
        const { failures } = await masters.checkInCloud!(olds, asked, context);
        assert.ok(failures.length < 2, "all of it is one error");
        return failures[0]?.reason ?? "";
    };
    const all = () => Object.fromEntries(names.map(name => [name, machineOf(name)]));

    it("finds nothing wrong with blank ones: one connection and one round trip to each, which only looks", async () => {
        assert.equal(await look(all()), "");
        for (const name of names) {
            const { commands, files } = fleet.node(name);
            assert.equal(fleet.node(name).seen(queriesArgv).length, 1);
            const asked = [machineStatusArgv, systemArgv].map(words => words.join(" "));
            for (const { argv } of commands) assert.ok([queriesArgv.join(" "), ...asked].includes(argv.join(" ")));
            assert.deepEqual(files.paths(), [], "no agent, no file");
        }
        assert.equal(fleet.events.filter(({ event }) => event === "connect").length, names.length);
    });

    it("tells all problems of all machines in one error", async () => {
        await fleet.node("m1").powerOff();
        const stranger = await testIdentity();
        const authority = Buffer.from(stranger.caCertificate).toString("base64");
        fleet.node("m3").on(machineStatusArgv, {
            stdout: `trace=/etc/kubernetes/kubelet.conf\nauthority=${authority}\nserver=https://10.0.0.9:6443\n`,
        });
        fleet.node("w1").on(machineStatusArgv, { stdout: "software=/etc/cni/net.d/05-calico.conflist\n" });
        fleet.node("w1").on(systemArgv, system({ cgroups: "tmpfs", nameserver: "127.0.0.1" }), 1);
        fleet
            .node("w2")
            .on(systemArgv, ({ stdin }) =>
                stdin.includes("kubeadm version")
                    ? { code: 40, stderr: "wanted 1.36.3, but kubelet says 1.99.0\n" }
                    : system(),
            );
        const wrongKey = { ...target("m2"), privateKey: newKeyPair().private };
        const said = await look({ ...all(), m2: machineOf("m2", wrongKey), w3: machineOf("w3", target("w2")) });
        for (const problem of [
            /^MACHINE_CHECK_FAILED\n/,
            /m1 \(127\.0\.0\.1:\d+\): CONNECT_FAILED: .* refused the connection/,
            /m2 \(.*\): AUTHENTICATION_FAILED: .* refused user root, offered: publickey/,
            /m3 \(.*\): FOREIGN_NODE: it has parts of a cluster.*API server: https:\/\/10\.0\.0\.9:6443/,
            /w1 \(.*\): FOREIGN_SOFTWARE: found: \/etc\/cni\/net\.d\/05-calico\.conflist/,
            /w1 \(.*\): it has control groups of version 1/,
            /w1 \(.*\): \/etc\/resolv\.conf names the loopback address 127\.0\.0\.1/,
            /w2 \(.*\): VERSION_MISMATCH: wanted 1\.36\.3, but kubelet says 1\.99\.0/,
            /w3 \(.*\): the program has this machine as w2, too/,
            /nothing has been touched/,
        ])
            assert.match(said, problem);
    });

    it("sees that two clusters of a program share a machine", async () => {
        const context = listener();
        const other = { ...context, urn: "urn:pulumi:s::p::t::edge" } as Context;
        assert.equal(await look({ m1: machineOf("m1") }, { context: other }), "");
        assert.match(
            await look({ x1: machineOf("x1", target("m1")) }, { context }),
            /x1 .*has this machine as m1 of edge, too/,
        );
        assert.equal(await look({ m1: machineOf("m1") }, { context: other }), "", "the same preview may ask again");
    });

    it("leaves out what the state has, and looks at what is new beside it", async () => {
        const known = { clusterId: "core-1", peers: "[]", recorded: ["core-1/m1", "other-2/w1"] };
        for (const name of ["m1", "w1"]) await fleet.node(name).powerOff();
        const said = await look({ m1: machineOf("m1"), w1: machineOf("w1") }, known);
        assert.match(said, /w1 \(.*CONNECT_FAILED/);
        assert.doesNotMatch(said, /m1 \(/);
        // The id is not known while it changes: the state has it.
        const olds = { clusterId: "core-1", peers: "[]" };
        assert.equal(await look({ m1: machineOf("m1") }, { olds, recorded: ["core-1/m1"] }), "");
        assert.equal(await look({ m1: machineOf("m1") }, { olds }), "", "a state that cannot be read proves nothing");
    });

    it("does not refuse what a run of ours that was interrupted has left", async () => {
        fleet.node("m1").on(machineStatusArgv, {
            stdout: "noted=core-1 m1\ninitStarted=core-1\ntrace=/etc/kubernetes/kubelet.conf\n",
        });
        fleet.node("m1").on(systemArgv, system({ port: "6443 kube-apiserver" }));
        assert.equal(await look({ m1: machineOf("m1") }, { clusterId: "core-1", peers: "[]", recorded: [] }), "");
        fleet.node("m2").on(machineStatusArgv, { stdout: "isPrepared=yes\n" });
        fleet.node("m2").on(systemArgv, system({ port: "16443 haproxy" }));
        assert.equal(await look({ m2: machineOf("m2") }), "", "it has lost our notes, and not our files");
        assert.match(
            await look({ m1: machineOf("m1") }, { clusterId: "edge-2", peers: "[]", recorded: [] }),
            /FOREIGN_NODE/,
        );
    });

    it("looks at no machine whose address is not known yet, and says so in one line", async () => {
        const context = listener();
        assert.equal(await look({ m1: unknownValue, m2: unknownValue, w1: machineOf("w1") }, { context }), "");
        assert.deepEqual(context.noted, ["not looked at, because address or login are not known yet: m1, m2"]);
        assert.equal(fleet.node("w1").seen(queriesArgv).length, 1);
    });

    it("looks at none where the variable says that there is no network to them", async () => {
        await fleet.node("m1").powerOff();
        process.env[noLookVariable] = "yes";
        const context = listener();
        assert.equal(await look(all(), { context }), "");
        assert.match(context.noted.join(), /PULUMI_NFV_NO_LOOK is set: no machine was looked at \(m1, m2/);
    });

    it("does not wait for a machine that does not end its answer", async () => {
        lookPatience.seconds = 1;
        fleet.node("m1").on(queriesArgv, { hang: true });
        const began = Date.now();
        assert.match(await look({ m1: machineOf("m1") }), /m1 .*not looked at to the end within 1 s/);
        assert.ok(Date.now() - began < 5000);
    });

    it("shows the words of a hostile machine cut, and without what a terminal obeys", async () => {
        fleet.node("m1").on(machineStatusArgv, { stdout: `software=\u001b[2J\u202eevil${"x".repeat(5000)}\n` });
        fleet.node("m2").on(machineStatusArgv, { stdout: "software=x\n".repeat(1_000_000) });
        const said = await look({ m1: machineOf("m1"), m2: machineOf("m2") });
        assert.match(said, /m1 .*found: \?\[2J\?evilx+…/);
        assert.match(said, /m2 .*printed more than 1 MiB/);
        assert.ok(said.length < 4000);
        assert.doesNotMatch(said, /[\p{Cf}]/u);
        assert.ok(!said.includes("\u001b"));
    });
});

describe("a run at a machine that is unfit", () => {
    it("is refused before anything is done there", async () => {
        const fleet = await FakeFleet.start({ nodes: ["w1"] });
        const w1 = fleet.node("w1");
        try {
            w1.on(systemArgv, system({ nameserver: "127.0.0.53" }));
            const { host: inputs } = machine(await testIdentity(), "w1", "worker", fleet.target("w1"), {});
            await assert.rejects(host.create(inputs, listener()), {
                code: "UNSUPPORTED_SYSTEM",
                message: /^w1: UNSUPPORTED_SYSTEM[\s\S]*nothing on it was changed[\s\S]*\/etc\/resolv\.conf names/,
            });
            assert.deepEqual(w1.files.paths(), []);
        } finally {
            await endRun();
            await fleet.stop();
        }
    });
});
