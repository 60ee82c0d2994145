import { strict as assert } from "node:assert";
import * as path from "node:path";
import { projectRoot } from "../../dev/levels";
import { run } from "../../lab/process";
import { killAtEachMoment } from "../support/kill-at-each-moment";
import { asStory } from "../support/story";
import { clusterArguments, eventually, type Fixture, openFixture } from "./cluster-fixture";

const masters = ["m1", "m2", "m3"];
const mebibyte = 1_048_576;
const quota = 24 * mebibyte;

const linesOf = (output: string, wanted: RegExp) =>
    output
        .split("\n")
        .filter(line => wanted.test(line))
        .join("\n");

/** Real etcd on three control-plane nodes with little room. */
describe("a cluster whose etcd is full", function () {
    this.timeout("30m");
    asStory(this);
    let fixture: Fixture;

    /** What etcd says by its own program, of all members. */
    const etcdctl = async (...argv: string[]) => {
        const pki = "/etc/kubernetes/pki/etcd";
        const access = ["--cacert", `${pki}/ca.crt`, "--cert", `${pki}/server.crt`, "--key", `${pki}/server.key`];
        return fixture.kubectl(
            ...["-n", "kube-system", "exec", "etcd-m1", "--", "etcdctl"],
            ...[...access, "--endpoints", "https://127.0.0.1:2379", ...argv],
        );
    };
    /** In MiB, by machine. */
    const sizes = async () => {
        const said = JSON.parse(await etcdctl("endpoint", "status", "--cluster", "-w", "json"));
        return said.map(({ Status: { dbSize } }: any) => Math.round(dbSize / mebibyte)) as number[];
    };
    const alarms = async () => (await etcdctl("alarm", "list")).trim();
    const write = (name: string, kilobytes: number) =>
        run(fixture.lab.enter(kubectl("apply", "--server-side", "--force-conflicts", "-f", "-")), {
            stdin: JSON.stringify({
                ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } },
                data: {
                    random: Array.from({ length: kilobytes * 40 }, () => Math.random().toString(36))
                        .join("")
                        .slice(0, kilobytes * 1000),
                },
            }),
            anyExit: true,
        });
    const kubectl = (...argv: string[]) => [
        ...[path.join(fixture.bundle, "bin", "kubectl"), "--kubeconfig", path.join(fixture.folder, "kubeconfig")],
        ...argv,
    ];
    /** Until etcd takes no more; the names of what it took. */
    const fill = async (nameOf: (n: number) => string, kilobytes = 700): Promise<string[]> => {
        const taken: string[] = [];
        for (let n = 0; n < 400; n++) {
            const { code, stderr } = await write(nameOf(n), kilobytes);
            if (code === 0) taken.push(nameOf(n));
            else if (/database space exceeded/.test(stderr)) return taken;
            else await eventually(60, () => fixture.kubectl("get", "--raw", "/readyz"));
        }
        throw new Error("etcd took everything");
    };
    const up = async (...more: string[]) =>
        fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive", ...more]).done;
    const check = async () => {
        const { output } = await fixture.project.start(["stack", "export", "--show-secrets"]).done;
        const nfv = ["node", path.join(projectRoot, "dist/tools/nfv.js"), "check", "--json", "--state", "-"];
        const { stdout } = await run(fixture.lab.enter(nfv), { stdin: output, anyExit: true });
        return JSON.parse(stdout).found.map((each: any) => `${each.code} ${each.node ?? ""} ${each.up ?? ""}`.trim());
    };
    const worksAgain = async () => {
        assert.equal(await alarms(), "");
        const { code, stderr } = await write("after", 1);
        assert.equal(code, 0, stderr);
        await fixture.project.up({ expectNoChanges: true });
    };

    before(async () => {
        fixture = await openFixture({ name: "espace", nodes: masters });
        const args = clusterArguments(fixture.lab, { masters, workers: [] });
        const etcd = { "quota-backend-bytes": String(quota) };
        await fixture.project.setConfig(
            {
                cluster: JSON.stringify({
                    ...args,
                    registries: {},
                    controlPlane: { ...(args["controlPlane"] as object), extraArgs: { etcd } },
                }),
            },
            { secrets: JSON.stringify({ privateKey: fixture.lab.node("m1").privateKey }) },
        );
        await fixture.project.up();
        await fixture.kubectl("get", "nodes");
    });
    after(() => fixture?.close());

    it("is found by `nfv check` with what a refresh and `up` do about it", async () => {
        const taken = await fill(() => "much-history");
        console.log(`      ${taken.length} writes of 700 kB; MiB per member: ${await sizes()}; ${await alarms()}`);
        assert.match(await alarms(), /NOSPACE/);
        const found = await check();
        console.log(`      ${found.join("; ")}`);
        assert.ok(
            found.some((each: string) => each.startsWith("etcd-no-space")),
            found.join("\n"),
        );
    });

    it("gets its space back by `up --refresh`, one member after another, also when a run is killed between", async () => {
        // Pulumi shows a title once for each node.
        const { kills, outcome } = await killAtEachMoment(fixture.project, ["up", "--refresh"], {
            momentIn: line =>
                /still to do/.test(line) ? undefined : /(core-m\d).*compact and defragment etcd/.exec(line)?.[1],
        });
        const { code, output } = outcome;
        console.log(`      killed in: ${kills.join(", ")}`);
        console.log(linesOf(output, /etcd was compacted/));
        assert.equal(code, 0, output);
        assert.ok(kills.length >= 1);
        const now = await sizes();
        console.log(`      MiB per member: ${now}`);
        assert.ok(
            now.every(size => size < 12),
            String(now),
        );
        await worksAgain();
    });

    it("says what is to be done where all of it is in use, and loses nothing", async () => {
        const taken: string[] = [];
        let [code, output]: [number | null, string] = [0, ""];
        // a part of the file is history, until what is in use alone fills it
        for (const [round, kilobytes] of [700, 200, 50, 50].entries()) {
            taken.push(...(await fill(n => `big-${round}-${n}`, kilobytes)));
            ({ code, output } = await up("--refresh"));
            console.log(`      ${taken.length} objects, MiB per member: ${await sizes()}`);
            if (code !== 0) break;
        }
        assert.notEqual(code, 0, output);
        assert.match(output, /etcd is full: .* all are in use/);
        assert.match(output, /quota-backend-bytes/);
        const names = await fixture.kubectl("get", "configmaps", "-n", "default", "-o", "name");
        for (const name of taken) assert.ok(names.includes(`configmap/${name}\n`), `${name} is lost`);
        await fixture.kubectl("delete", "configmap", "-n", "default", ...taken);
        const again = await up("--refresh");
        assert.equal(again.code, 0, again.output);
        console.log(`      after they were deleted, MiB per member: ${await sizes()}`);
        await worksAgain();
    });
});
