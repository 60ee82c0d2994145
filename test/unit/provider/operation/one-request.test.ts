import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { classify } from "../../../../provider/operation/classify";
import {
    type Named,
    problemsOfPairs,
    type RequestName,
    requestNames,
    whyNotTogether,
} from "../../../../provider/operation/one-request";
import type { ClusterDescription } from "../../../../provider/operation/operation";

const cluster = (more: Partial<ClusterDescription> = {}, names = "m1 m2 m3 w1 w2"): ClusterDescription => ({
    nodes: Object.fromEntries(
        names
            .split(" ")
            .map(name => [name, { role: name.startsWith("m") ? "controlPlane" : "worker", machine: "a" } as const]),
    ),
    kubernetesVersion: "1.36.3",
    endpoint: "vip 10.0.0.1:6443",
    settings: {},
    ...more,
});
const inputs = (name: string) => ({ settings: { [name]: "hash" } });

/** On another machine under the same name. */
const moved = (name: string) => ({ nodes: { [name]: { ...cluster().nodes[name]!, machine: "b" } } });

/** By request: a program that requests it. */
type Program = Partial<ClusterDescription> & { names?: Partial<Named> };
const programs: Record<RequestName, Program> = {
    etcdRestore: inputs("etcdRestore.run"),
    heal: { names: { heal: ["w2"] } },
    "healed control-plane nodes": moved("m2"),
    "healed workers": moved("w1"),
    replaceServers: { names: { replaceServers: ["w2"] } },
    "control-plane nodes": { nodes: cluster({}, "m4 m5").nodes },
    workers: { nodes: cluster({}, "w3").nodes },
    "controlPlane.endpoint": { endpoint: "vip 10.0.0.2:6443" },
    "kubernetes.version": { kubernetesVersion: "1.36.4" },
    "os.upgrade": inputs("os.upgrade"),
    "restart.containerRuntime": inputs("restart.containerRuntime"),
    "rotate.encryptionKey": inputs("rotate.encryptionKey"),
    "rotate.serviceAccountKey": inputs("rotate.serviceAccountKey"),
    "rotate.authorities": inputs("rotate.authorities"),
};

const problems = (...names: RequestName[]) => {
    const [nodes, settings] = [{ ...cluster().nodes }, {}];
    const meant: Named = { heal: [], replaceServers: [] };
    let after: Partial<ClusterDescription> = {};
    for (const name of names) {
        const { nodes: its, settings: of, names: these, ...others } = programs[name];
        Object.assign(meant, these);
        Object.assign(nodes, its);
        Object.assign(settings, of);
        after = { ...after, ...others };
    }
    const wanted = cluster({ settings, nodes, ...after });
    return problemsOfPairs(classify(cluster(), wanted), cluster(), wanted, meant);
};

/** y: in one run. Each row names the request that goes first where it is refused; "-": the other row has the pair, or is the same thing. */
const table = `
    etcdRestore                - y y y n y y y y n n n n n
    heal                       - - - - n y y y y y y y y y
    healed control-plane nodes - - - - y y n y n y y y y y
    healed workers             - - - - y y n y y y y y y y
    replaceServers             - - - - - y n y y n n n n n
    workers                    - - - - - - n - y n n n n n
    controlPlane.endpoint      - - - - - - - n n n n n n n
    control-plane nodes        - - - - - - - - n n n n n n
    kubernetes.version         - - - - - - - - - n n n n n
    rotate.encryptionKey       - - - - - - - - - - y y n n
    rotate.serviceAccountKey   - - - - - - - - - - - y n n
    rotate.authorities         - - - - - - - - - - - - n n
    os.upgrade                 - - - - - - - - - - - - - n
    restart.containerRuntime   - - - - - - - - - - - - - -`;

describe("requests of one run", () => {
    const rows = table
        .trim()
        .split("\n")
        .map(line => /^\s*(.*?)((?: [-yn])+)$/.exec(line)!)
        .map(([, name, cells]) => ({ name: name!.trim() as RequestName, cells: cells!.trim().split(" ") }));

    it("is a table of all pairs", () => {
        assert.deepEqual(
            rows.map(({ name }) => name),
            requestNames,
        );
        for (const { cells } of rows) assert.equal(cells.length, requestNames.length);
    });

    for (const { name, cells } of rows)
        for (const [i, cell] of cells.entries()) {
            const other = requestNames[i]!;
            if (cell === "-") continue;
            it(`${name} and ${other}: ${cell === "y" ? "together" : "refused"}`, () => {
                assert.equal(whyNotTogether(name, other) === undefined, cell === "y");
                const found = problems(name, other);
                assert.equal(found.length, cell === "y" ? 0 : 1, found.join("\n"));
            });
        }

    it("is in the docs as it is here", () => {
        const docs = readFileSync("docs/how-it-works.md", "utf8");
        for (const name of requestNames) {
            const others = requestNames.filter(other => whyNotTogether(name, other) !== undefined);
            const row = `| ${name} | ${others.join(", ") || "nothing"} |`;
            assert.ok(docs.includes(row), row);
        }
    });

    it("stands alone, each of them", () => {
        for (const name of requestNames) assert.deepEqual(problems(name), [], name);
    });

    it("is refused with why, and what to do first", () => {
        assert.deepEqual(problems("kubernetes.version", "control-plane nodes"), [
            "this cannot be done in one run, each needs a pulumi up of its own: 1. control-plane nodes (m4, m5); 2. kubernetes.version (one that joins would get the previous version from the cluster's " +
                "configuration, and those that take turns must stay). Leave out all but the first; nothing was touched",
        ]);
        assert.match(
            problems("os.upgrade", "rotate.encryptionKey", "workers", "kubernetes.version").join("\n"),
            /: 1\. workers \(w3\) and kubernetes\.version; 2\. rotate\.encryptionKey \(it acts .*\); 3\. os\.upgrade \(.*\)\. Leave/,
        );
    });

    it("is none where the program takes it out, or a setting changes", () => {
        const before = cluster(inputs("rotate.encryptionKey"));
        const after = cluster({ kubernetesVersion: "1.36.4", settings: { registries: "hash" } });
        assert.deepEqual(problemsOfPairs(classify(before, after), before, after), []);
    });

    it("has no pair where the cluster is made or ends", () => {
        const all = cluster({ ...inputs("rotate.encryptionKey"), kubernetesVersion: "1.36.4" });
        assert.deepEqual(problemsOfPairs(classify(undefined, all), undefined, all), []);
        assert.deepEqual(problemsOfPairs(classify(all, undefined), all, undefined), []);
    });

    it("counts a lost server, and another machine under the same name, as a heal", () => {
        const lost = { ...cluster(), lost: ["m3"] };
        const newer = cluster({ kubernetesVersion: "1.36.4" });
        assert.match(problemsOfPairs(classify(lost, newer), lost, newer).join(), /1\. heal \(m3\); 2\. kubernetes/);
        newer.nodes["m2"] = { role: "controlPlane", machine: "b" };
        assert.match(
            problemsOfPairs(classify(cluster(), newer), cluster(), newer).join(),
            /1\. heal \(m2\); 2\. kubernetes/,
        );
    });

    it("is one request where a restore onto new machines brings another version and endpoint", () => {
        const after = cluster({
            ...inputs("etcdRestore.run"),
            ontoNew: true,
            kubernetesVersion: "1.36.4",
            endpoint: "vip 10.0.0.2:6443",
        });
        for (const name of ["m1", "m2", "m3"]) after.nodes[name] = { role: "controlPlane", machine: "b" };
        const found = () => problemsOfPairs(classify(cluster(), after), cluster(), after);
        assert.deepEqual(found(), []);
        delete after.ontoNew;
        assert.equal(found().length, 1, "in place it brings nothing");
    });

    it("gives one control-plane node an endpoint before others join", () => {
        const found = problems("controlPlane.endpoint", "control-plane nodes").join();
        assert.match(found, /1\. controlPlane\.endpoint; 2\. control-plane nodes \(m4, m5\)/);
    });
});
