import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { projectRoot } from "../../dev/levels";
import { noTackerSamples, tackerSamples } from "../../dev/tacker-samples";
import type { HookFacts } from "../../provider/operation/hooks/contract";
import { skipIf } from "../support/skip";
import { asStory } from "../support/story";
import { clusterArguments, type Fixture, openFixture } from "./cluster-fixture";

/** A package of the incumbent, as it is. Its script has a method for each of the operations below. */
const vnfPackage = path.join(
    tackerSamples,
    "samples/tests/functional/sol_kubernetes_v2/test_instantiate_cnf_resources/contents",
);

const events = ["instantiate", "scale", "modifyInformation", "changeExternalConnectivity", "terminate"].flatMap(
    name => [`${name}Start`, `${name}End`],
);

const moduleText = (log: string) => `
import { appendFileSync } from "node:fs";
import type { HookContext, MgmtDriver } from "pulumi-nfv";

const say = (context: HookContext) => appendFileSync("${log}/order", "module " + context.etsiEvent + "\\n");

export default class Driver implements MgmtDriver {
${events.map(event => `    async ${event}(context: HookContext) { ${event === "scaleEnd" ? "await this.greet(context); " : ""}say(context); }`).join("\n")}

    /** Runs a command on a node, and asks the API. */
    private async greet(context: HookContext) {
        const [node] = context.nodes.after;
        const said = await context.run(node!.name, { script: "hostname", secrets: { word: "mellon" } });
        const found = await context.kubernetes!.get<{ items: { metadata: { name: string } }[] }>("/api/v1/nodes");
        appendFileSync("${log}/greet", said.trim() + " " + found!.items.map(({ metadata }) => metadata.name).sort() + "\\n");
    }
}
`;

/** Real kubeadm, etcd and HAProxy on machines of the lab: all four ways to give a hook. */
describe("hooks on a real cluster", function () {
    this.timeout("15m");
    asStory(this);
    let fixture: Fixture;
    let log: string;

    const lines = (file: string) => {
        const place = path.join(log, file);
        return fs.existsSync(place) ? fs.readFileSync(place, "utf8").trim().split("\n") : [];
    };
    const hooks = () => [
        { name: "driver", module: path.join(log, "driver.ts") },
        { name: "here", script: path.join(log, "here.sh"), events },
        {
            name: "there",
            script: path.join(log, "there.sh"),
            events: events.filter(event => !["instantiateStart", "terminateEnd"].includes(event)),
            nodes: { role: "controlPlane", first: true },
        },
        { name: "mark", manifests: [path.join(log, "mark.yaml")], events: ["instantiateEnd"] },
        { name: "unmark", manifests: [path.join(log, "mark.yaml")], events: ["terminateStart"], action: "delete" },
        { name: "tacker", tacker: { package: vnfPackage } },
    ];
    const give = async (workers: string[], changes: object = {}) => {
        const args = {
            ...clusterArguments(fixture.lab, { masters: ["m1"], workers }),
            controlPlane: { taints: [] },
            registries: {},
            drain: { timeoutSeconds: 30, policy: "delete" },
            hooks: hooks(),
            ...changes,
        };
        const secrets = { privateKey: fixture.lab.node("m1").privateKey };
        await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
    };
    const up = async () => {
        const before = lines("order").length;
        const output = await fixture.project.up();
        return { ran: lines("order").slice(before), output };
    };
    const told = () => lines("told").map(line => JSON.parse(line) as HookFacts);
    const onNode = async () => (await fixture.lab.mustSsh("m1", "cat /root/hooks")).trim().split("\n");

    before(async function () {
        skipIf(this, noTackerSamples());
        log = fs.mkdtempSync(path.join(os.tmpdir(), "nfv-hooks-"));
        fs.writeFileSync(path.join(log, "driver.ts"), moduleText(log));
        fs.mkdirSync(path.join(log, "node_modules"));
        fs.symlinkSync(projectRoot, path.join(log, "node_modules/pulumi-nfv"));
        fs.writeFileSync(
            path.join(log, "here.sh"),
            `#!/bin/sh\ncat >>${log}/told; echo >>${log}/told; echo "here $PULUMI_NFV_EVENT" >>${log}/order\n`,
            { mode: 0o755 },
        );
        fs.writeFileSync(
            path.join(log, "there.sh"),
            '#!/usr/bin/perl\n$/ = undef; my $facts = <STDIN>; open my $out, ">>", "/root/hooks"; print $out "$ENV{PULUMI_NFV_EVENT} ", ($facts =~ /"kubeconfig"/ ? "told" : "not told"), "\\n";\n',
        );
        fs.writeFileSync(
            path.join(log, "mark.yaml"),
            "apiVersion: v1\nkind: Namespace\nmetadata: { name: marked }\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: mark, namespace: marked }\ndata: { by: hook }\n",
        );
        fixture = await openFixture({ name: "hooks", nodes: ["m1", "w1", "w2"] });
        fixture.project.env["PULUMI_NFV_HOOK_RECORDS"] = path.join(log, "records");
        await give(["w1"]);
    });
    after(async () => {
        await fixture?.close();
        if (log) fs.rmSync(log, { recursive: true, force: true });
    });

    it("run once each when the cluster is made, in the program's order", async () => {
        const { ran, output } = await up();
        assert.deepEqual(ran, [
            "module instantiate_start",
            "here instantiate_start",
            "module instantiate_end",
            "here instantiate_end",
        ]);
        assert.deepEqual(await onNode(), ["instantiate_end not told"]);
        assert.equal(
            await fixture.kubectl("get", "configmap", "mark", "-n", "marked", "-o", "jsonpath={.data.by}"),
            "hook",
        );
        assert.match(output, /instantiate_end: tacker \(tacker [^)]*\)/);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("know the nodes and the API at both ends of a scale out", async () => {
        await give(["w1", "w2"]);
        const { ran } = await up();
        assert.deepEqual(ran, ["module scale_start", "here scale_start", "module scale_end", "here scale_end"]);
        const [start, end] = told().slice(-2) as [HookFacts, HookFacts];
        assert.deepEqual(
            start.nodes.before.map(({ name }) => name),
            ["m1", "w1"],
        );
        assert.deepEqual(
            end.nodes.after.map(({ name, address }) => [name, address]),
            ["m1", "w1", "w2"].map(name => [name, fixture.lab.node(name).address]),
        );
        assert.ok(start.cluster.kubeconfig !== undefined);
        assert.deepEqual(lines("greet"), ["m1 m1,w1,w2"]);
        assert.deepEqual((await onNode()).slice(1), ["scale_start not told", "scale_end not told"]);
    });

    it("run when an input changes, and after the node that leaves", async () => {
        await give(["w1"], { sysctls: { "vm.max_map_count": "262145" } });
        const { ran } = await up();
        assert.deepEqual(
            ran,
            ["modify_information_start", "scale_start", "modify_information_end", "scale_end"].flatMap(event => [
                `module ${event}`,
                `here ${event}`,
            ]),
        );
        assert.equal((await fixture.kubectl("get", "nodes", "-o", "name")).trim(), "node/m1\nnode/w1");
    });

    it("end with an engine that is killed, and run again", async () => {
        fs.writeFileSync(
            path.join(log, "there.sh"),
            '#!/bin/sh\ncat >/dev/null\necho "$PULUMI_NFV_EVENT slow" >>/root/hooks\nsleep 8\necho "$PULUMI_NFV_EVENT ended" >>/root/hooks\n',
        );
        await give(["w1"], { sysctls: { "vm.max_map_count": "262146" } });
        const run = fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
        while (!(await onNode()).includes("modify_information_start slow")) await sleep(200);
        process.kill(run.pid, "SIGKILL");
        await run.done;
        await fixture.project.run(["cancel", "--yes"]);
        await up();
        const slow = (await onNode()).filter(line => /slow|ended/.test(line));
        // A node goes on without us: the next run waits for the end, and runs nothing twice.
        assert.deepEqual(
            slow,
            ["start slow", "start ended", "end slow", "end ended"].map(word => `modify_information_${word}`),
        );
        const again = told().filter(
            ({ etsiEvent, attempt }) => etsiEvent === "modify_information_start" && attempt === 2,
        );
        assert.deepEqual(
            again.map(({ interrupted }) => interrupted),
            [true],
        );
    });

    it("run at the end of the cluster, too", async () => {
        const before = lines("order").length;
        const output = await fixture.project.destroy();
        assert.deepEqual(lines("order").slice(before), [
            "module terminate_start",
            "here terminate_start",
            "module terminate_end",
            "here terminate_end",
        ]);
        assert.match(output, /terminate_end: tacker/);
        assert.doesNotMatch(await fixture.project.exportStack(), /mellon/);
    });
});
