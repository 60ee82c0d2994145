import assert from "node:assert/strict";
import { KubernetesCluster } from "../../../../components";
import { check, diff } from "../../../../provider";
import { unknownValue } from "../../../../provider/common/unknown-value";
import { unpack } from "../../../../provider/contract/packed";
import { type Registered, record } from "../recorder";
import { clusterArgs } from "../sample-args";

function program() {
    const args = clusterArgs(3, { a: 1 });
    args.infrastructure.hosts!.ssh = { user: "ops", password: "password" };
    return new KubernetesCluster("core", args);
}
const isOurs = ({ type }: Registered) => type.startsWith("pulumi-nodejs:dynamic/nfv:");
const typeOf = ({ type }: Registered) => type.split(":").at(-1)!;
const whole = ({ inputs }: Registered) => unpack(inputs, []) as Record<string, unknown>;

/** Values under each key of this name, however deep. */
function allNamed(name: string, value: unknown): unknown[] {
    if (value === null || typeof value !== "object") return [];
    return Object.entries(value).flatMap(([key, each]) => [...(key === name ? [each] : []), ...allNamed(name, each)]);
}

describe("the keys of a cluster at a preview that will change them", () => {
    let before: Registered[];
    let after: Registered[];
    let clusterId: string;
    const named = (label: string) => {
        const found = after.find(each => each.label === label)!;
        return { old: before.find(each => each.label === label)!, found };
    };

    global.before(async () => {
        const made = await record("up", program);
        ({ clusterId } = made.identity);
        before = made.resources;
        const changing = await record("preview", program, { updated: ["ClusterKeys"] });
        after = changing.resources;
    });

    it("are not known, or the rest proves nothing", () => {
        const { spec } = whole(named("Host core-m1").found) as { spec: { caCertHash: string } };
        assert.equal(spec.caCertHash, unknownValue);
    });

    it("leave the id known wherever a resource has it", () => {
        const seen = after.filter(isOurs).flatMap(each => allNamed("clusterId", whole(each)));
        assert.ok(seen.length >= 10, `${seen.length}`);
        assert.deepEqual([...new Set(seen)], [clusterId]);
    });

    it("replace nothing", async () => {
        for (const found of after.filter(isOurs)) {
            const { old } = named(found.label);
            // The check of a Vim, which would ask the cluster, adds the id.
            const state = { ...old.inputs, done: {}, ...(typeOf(found) === "VimRegistration" && { clusterId }) };
            const { inputs, failures = [] } = await check(typeOf(found), old.inputs, found.inputs);
            assert.deepEqual(failures, [], found.label);
            const { replaces = [] } = diff(typeOf(found), "id", state, inputs as never);
            assert.deepEqual(replaces, [], found.label);
        }
    });

    it("are to do on control-plane nodes; what does not depend on them is shown as it was", () => {
        const toDo = (label: string) => {
            const { old, found } = named(label);
            const steps = (each: Registered) => whole(each)["steps"] as Record<string, string>;
            assert.deepEqual(Object.keys(steps(found)), Object.keys(steps(old)), label);
            const differing = Object.entries(steps(found)).filter(([title, print]) => print !== steps(old)[title]);
            for (const [title, print] of differing) assert.equal(print, "to do", `${label}: ${title}`);
            return differing.map(([title]) => title);
        };
        const join = "initialise or join the cluster";
        assert.deepEqual(toDo("Host core-m1"), []);
        assert.deepEqual(toDo("Node core-a-1"), [join]);
        assert.deepEqual(toDo("Node core-m1"), [
            join,
            "place audit policy and encryption settings",
            "place the cluster's keys",
        ]);
        assert.deepEqual(toDo("ClusterNetwork core"), []);
    });
});
