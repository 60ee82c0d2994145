import assert from "node:assert/strict";
import fc from "fast-check";
import { ajvProblems, isOf } from "../../../../components/validation/structure";
import { Unknown } from "../../../../components/validation/structure-types";

const machine = { address: "10.0.0.1", ssh: { host: "10.0.0.1", port: 22, privateKey: "key" } };
const cluster = () => ({
    infrastructure: {
        hosts: { ssh: { user: "root" }, controlPlane: { m1: machine }, pools: { workers: { w1: machine } } },
    },
    kubernetes: { version: "1.34.4", source: { image: {} } },
    controlPlane: { count: 1, endpoint: { vip: { address: "10.0.0.9", port: 16443 } }, certificateSans: ["a"] },
    pools: { workers: { labels: { a: "b" }, taints: [{ key: "a", effect: "NoSchedule" }], kubelet: { maxPods: 9 } } },
    proxy: { httpProxy: "http://proxy" },
    registries: { "docker.io": { endpoints: ["https://mirror"] } },
});

type Path = readonly string[];

/** All places in a value, the value itself too. */
function placesIn(value: unknown, path: Path = []): Path[] {
    if (value === null || typeof value !== "object") return [path];
    return [path, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...path, key]))];
}

function put(value: unknown, [key, ...rest]: Path, what: unknown): unknown {
    if (key === undefined) return what;
    if (Array.isArray(value)) return value.map((each, i) => (String(i) === key ? put(each, rest, what) : each));
    const object = value as Record<string, unknown>;
    return { ...object, [key]: put(object[key], rest, what) };
}

const odd = fc.oneof(
    fc.constantFrom<unknown>(null, true, 0, 1.5, "", "x", [], ["x"], [1], {}, { a: "b" }, { a: 1 }, { $ref: "x" }),
    fc.constant(new Unknown()),
    fc.jsonValue({ maxDepth: 2 }),
);

describe("names and types of inputs", () => {
    it("of a right cluster are told to be right without ajv, and so ajv says", () => {
        assert.equal(isOf("KubernetesCluster", cluster()), true);
        assert.deepEqual(ajvProblems("KubernetesCluster", cluster()), []);
    });

    it("are judged as ajv judges them, whatever stands wherever", function () {
        this.timeout(60_000);
        const places = placesIn(cluster());
        const seen = new Set<boolean>();
        fc.assert(
            fc.property(
                fc.constantFrom(...places),
                fc.option(fc.constantFrom("surplus", "count", "toString")),
                odd,
                (place, name, value) => {
                    const args = put(cluster(), name === null ? place : [...place.slice(0, -1), name], value);
                    const verdict = isOf("KubernetesCluster", args);
                    seen.add(verdict);
                    assert.equal(verdict, ajvProblems("KubernetesCluster", args).length === 0);
                },
            ),
            { numRuns: 2000 },
        );
        assert.equal(seen.size, 2);
    });

    it("that are required are missed", () => {
        for (const place of placesIn(cluster()).filter(({ length }) => length > 0)) {
            const args = JSON.parse(JSON.stringify(put(cluster(), place, undefined))) as unknown;
            assert.equal(
                isOf("KubernetesCluster", args),
                ajvProblems("KubernetesCluster", args).length === 0,
                place.join(),
            );
        }
    });
});
