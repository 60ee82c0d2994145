import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { versions } from "../../tools/versions";
import { acknowledgedOf, longestGap, startWriter } from "../e2e/writer";
import { asStory } from "../support/story";
import {
    type CloudFixture,
    destroyOrSay,
    destroyWithoutTrace,
    footprint,
    openCloudFixture,
    readyNodes,
    serverIds,
} from "./cloud-fixture";
import { killAfterReplacement } from "./kill-run";
import { openRotation, type Rotation } from "./rotation";

const masters = [1, 2, 3].map(n => `core-control-plane-${n}`);
const name = "replaced-masters";

describe("servers of control-plane nodes that a program replaces", function () {
    this.timeout("50m");
    asStory(this);
    let fixture: CloudFixture;
    let rotation: Rotation;
    let untouched: Record<string, string[]>;
    let first: Record<string, string>;
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "nfv-writer-"));

    const configure = (flavor: string, replaceServers?: object) => {
        const cluster = {
            infrastructure: { nova: { image: name, flavor, externalNetwork: fixture.cloud.publicNetwork } },
            kubernetes: { version: versions.kubernetes },
            controlPlane: { count: 3 },
            ...(replaceServers && { replaceServers }),
            ...{ kubelet: labKubelet, kubeProxy: labKubeProxy },
        };
        return fixture.project.setConfig({ cluster: JSON.stringify(cluster) });
    };
    const healthyMembers = async () => {
        const said = await fixture.kubectl(
            ...["-n", "kube-system", "exec", `etcd-${masters[2]}`, "--", "etcdctl"],
            ...["--cacert=/etc/kubernetes/pki/etcd/ca.crt", "--cert=/etc/kubernetes/pki/etcd/server.crt"],
            ...["--key=/etc/kubernetes/pki/etcd/server.key", "endpoint", "health", "--cluster"],
        );
        return said.match(/is healthy/g)?.length ?? 0;
    };

    before(async () => {
        fixture = await openCloudFixture("program", name, { programs: "test/openstack" });
        rotation = await openRotation(fixture, name);
        untouched = await footprint(fixture);
        await configure("m1.medium");
        await fixture.project.up();
        first = await serverIds(fixture);
        assert.deepEqual(await readyNodes(fixture), masters);
    });

    after(async () => {
        await destroyOrSay(fixture);
        await rotation?.clear();
        await fixture?.close();
        fs.rmSync(folder, { recursive: true, force: true });
    });

    it("are shown before, in their order, and nothing else is replaced", async () => {
        await rotation.rotate();
        await configure("m1.large", { run: "2026-11", nodes: ["controlPlane"] });
        const text = await fixture.project.preview();
        const flat = text.replace(/\s+/g, " ");
        assert.match(flat, /operation: heal core-control-plane-1, core-control-plane-2, core-control-plane-3 \(new/);
        for (const [i, turn] of ["first", "control-plane node 2 of 3", "control-plane node 3 of 3"].entries())
            assert.match(
                flat,
                new RegExp(`Node \\(${masters[i]}\\): server replaced: .* flavor m1.medium to m1.large; ${turn}`),
            );
        for (const line of text.split("\n").filter(each => /^\s*(\+-|\+\+|--) /.test(each)))
            assert.match(line, /(Instance|Host|Node) core-control-plane-[123]\b|OperationEnd core\b/, text);
        assert.deepEqual(await serverIds(fixture), first);
    });

    it("are replaced one by one while a client writes; a run that is killed goes on, and etcd keeps each write", async () => {
        const kubeconfig = path.join(folder, "kubeconfig");
        fs.writeFileSync(kubeconfig, await fixture.project.output("kubeconfig"), { mode: 0o600 });
        const writer = startWriter(fixture.cloud, kubeconfig, { eachOwn: true });
        try {
            await sleep(3000);
            writer.since();
            await killAfterReplacement(fixture, masters[1]!, first);
            const halfway = await serverIds(fixture);
            assert.notEqual(halfway[masters[0]!], first[masters[0]!]);
            assert.equal(halfway[masters[2]!], first[masters[2]!], "the third one keeps its server meanwhile");
            await fixture.project.up();
            const now = await serverIds(fixture);
            for (const each of masters.slice(0, 2)) assert.equal(now[each], halfway[each], "none is replaced twice");
            assert.notEqual(now[masters[2]!], first[masters[2]!]);
            assert.deepEqual(await readyNodes(fixture), masters);
            const { image } = await rotation.ids();
            assert.deepEqual(await Promise.all(masters.map(each => rotation.imageOf(now[each]!))), [
                image,
                image,
                image,
            ]);
            assert.equal(await healthyMembers(), masters.length);
            const writes = writer.since();
            const failed = writes.filter(({ by }) => by === undefined).length;
            console.log(`      ${writes.length} writes, ${failed} failed, longest gap ${longestGap(writes)} s`);
            const get = ["-n", "default", "get", "configmaps", "-l", "written-by=writer", "-o", "name"];
            const stored = new Set((await fixture.kubectl(...get)).split("\n"));
            assert.deepEqual(
                acknowledgedOf(writes).filter(count => !stored.has(`configmap/written-${count}`)),
                [],
            );
        } finally {
            writer.stop();
        }
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("leave nothing behind after `pulumi destroy`", () => destroyWithoutTrace(fixture, untouched));
});
