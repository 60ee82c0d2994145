import { strict as assert } from "node:assert";
import { serverKeys } from "../../../../provider/cloud/server-keys";
import { clusterIdResource } from "../../../../provider/cluster/cluster-id";
import { fixedInputs } from "../../../../provider/contract/fixed-inputs";
import { unknownValue } from "../../../../provider/contract/values";
import { refuseOtherMachines } from "../../../../provider/host/masters-that-stay";

const inputs = (fixed: Record<string, string>, masters: string[] = ["m1"], clusterName = "core") => ({
    clusterName,
    kept: JSON.stringify({ fixed, masters }),
});
const reasons = (olds: object, news: ReturnType<typeof inputs>) =>
    (clusterIdResource.check(olds, news).failures ?? []).map(({ reason }) => reason);

describe("inputs that a cluster keeps", () => {
    for (const [name, { instead, allows }] of Object.entries(fixedInputs)) {
        if (name === "clusterName") continue;
        const [from, to] = allows ? ["true", "false"] : ["here", "there"];

        it(`${name}: a change is refused with the old value, the new one and what to do instead`, () => {
            const [reason, ...others] = reasons(inputs({ [name]: from }), inputs({ [name]: to }));
            assert.deepEqual(others, []);
            for (const part of [`${name} cannot be changed`, `has "${from}"`, `"${to}" is asked for`, instead]) {
                assert.ok(reason!.includes(part), `${part}: ${reason}`);
            }
        });

        it(`${name}: the same value, a first one, and one that is not known yet are no change`, () => {
            assert.deepEqual(reasons(inputs({ [name]: from }), inputs({ [name]: from })), []);
            assert.deepEqual(reasons({}, inputs({ [name]: to })), []);
            assert.deepEqual(reasons({ clusterName: "core" }, inputs({ [name]: to })), []);
            assert.deepEqual(reasons(inputs({}), inputs({ [name]: to })), []);
            assert.deepEqual(reasons(inputs({ [name]: from }), { clusterName: "core", kept: unknownValue }), []);
        });
    }

    it("are refused without a word of destroying a cluster that may be in use", () => {
        const all = [
            ...reasons(inputs({ "network.cni": "" }), inputs({ "network.cni": "none" })),
            ...reasons(inputs({}, ["m1"]), inputs({}, ["m2"])),
        ];
        assert.equal(all.length, 2);
        assert.match(all[0]!, /Nothing was touched\. Take it out again, or /);
        for (const reason of all) assert.ok(!reason.includes("destroy"), reason);
    });

    it("clusterName: another name is refused, by the server keys too, which wait for nothing", () => {
        const [reason] = reasons(inputs({}), inputs({}, ["m1"], "other"));
        assert.match(reason!, /clusterName cannot be changed: this cluster has "core", "other" is asked for/);
        const { failures } = serverKeys.check({ clusterName: "core" }, { clusterName: "other" });
        assert.match(failures![0]!.reason, /clusterName cannot be changed/);
    });

    it("serverName: the same for a storage server, in its words", () => {
        const [reason, ...others] = reasons({ clusterName: "files", nameInput: "serverName" }, {
            ...{ clusterName: "site", nameInput: "serverName" },
        } as never);
        assert.match(reason!, /^serverName cannot be changed: this storage server has "files", "site" is asked for/);
        assert.match(reason!, /Set it back to "files", or make a second StorageServer/);
        assert.deepEqual(others, []);
        const named = { clusterName: "files", nameInput: "serverName" } as const;
        const { failures } = serverKeys.check(named, { ...named, clusterName: "site" });
        assert.match(failures![0]!.reason, /serverName cannot be changed/);
    });

    it("a network of the cloud may be called by its new name, or its id, but not become another one", () => {
        const name = "infrastructure.nova.network.network";
        const of = (value: string, id?: string) => ({
            clusterName: "core",
            kept: JSON.stringify({
                fixed: { [name]: value },
                masters: ["m1"],
                ids: id === undefined ? {} : { [name]: id },
            }),
        });
        assert.deepEqual(reasons(of("lan", "n1"), of("lan-2", "n1")), []);
        for (const [olds, news] of [
            [of("lan", "n1"), of("lan-2", "n2")],
            [of("lan", "n1"), of("lan-2")],
            [of("lan"), of("lan-2", "n1")],
            [of("lan"), of("lan-2")],
            [inputs({ [name]: "lan" }), of("lan-2", "n1")],
        ] as const)
            assert.equal(reasons(olds, news).length, 1);
    });

    describe("encryption at rest turned on", () => {
        const of = (value: string, ...masters: string[]) =>
            inputs({ "controlPlane.encryptionAtRest.enabled": value }, masters);

        it("is done where one master is all there is, and goes on where a run was stopped after it was noted", () => {
            assert.deepEqual(reasons(of("false", "m1"), of("true", "m1")), []);
            assert.deepEqual(reasons(of("true", "m1", "m2"), of("true", "m1", "m2")), []);
            assert.deepEqual(reasons({}, of("true", "m1", "m2", "m3")), []);
            assert.deepEqual(reasons(of("false", "m1"), of("false", "m1", "m2")), []);
        });

        it("is refused with several: those that have not changed yet could not read Secrets", () => {
            const [reason, ...others] = reasons(of("false", "m1", "m2", "m3"), of("true", "m1", "m2", "m3"));
            assert.deepEqual(others, []);
            assert.match(
                reason!,
                /encryptionAtRest\.enabled cannot be turned on with several masters \(m1, m2, m3\): .* take the masters out but one, run pulumi up, turn it on with that master/,
            );
        });

        it("is refused while masters join or leave in the same run", () => {
            const [joining] = reasons(of("false", "m1"), of("true", "m1", "m2"));
            assert.match(
                joining!,
                /Set it back to false, or turn it on with m1 as the only master, run pulumi up, then add/,
            );
            assert.equal(reasons(of("false", "m1", "m2"), of("true", "m1")).length, 1);
        });
    });

    it("all refusals are listed together", () => {
        const all = (value: string) => Object.fromEntries(Object.keys(fixedInputs).map(name => [name, value]));
        const { clusterName: _, ...olds } = all("a");
        const { clusterName: __, ...news } = all("b");
        assert.equal(reasons(inputs(olds), inputs(news)).length, Object.keys(fixedInputs).length - 1);
    });

    it("one of the masters must stay; how many others come or go does not matter", () => {
        assert.deepEqual(reasons(inputs({}, ["m1", "m2", "m3"]), inputs({}, ["m3", "m4", "m5"])), []);
        assert.deepEqual(reasons(inputs({}, ["m1"]), inputs({}, ["m1", "m2", "m3"])), []);
        const [reason] = reasons(inputs({}, ["m1", "m2", "m3"]), inputs({}, ["m4"]));
        assert.match(reason!, /masters cannot all be replaced: this cluster has m1, m2, m3, the program has m4/);
    });
});

describe("masters", () => {
    const [ready, begun, untouched] = [
        { begun: true, ready: true },
        { begun: true, ready: false },
        { begun: false, ready: false },
    ];
    const of = (...masters: string[]) => masters.map((address, i) => ({ name: `m${i + 1}`, address }));
    const host = (masters: { name: string; address: string }[], name = "m1") => {
        const { address } = masters.find(one => one.name === name)!;
        return { spec: { name, role: "controlPlane" as const, address, clusterId: "core-1", masters } };
    };
    const [one, three] = [host(of("a")), host(of("a", "b", "c"))];
    const refusal = (olds: ReturnType<typeof host>, news: ReturnType<typeof host>, message: RegExp) =>
        assert.throws(() => refuseOtherMachines(olds, news, ready), { code: "INVALID_INPUT", message });

    it("stay in their cluster: another identity in the state takes none of them", () => {
        const worker = host(of("a"));
        const olds = { ...worker, spec: { ...worker.spec, role: "worker" as const } };
        const other = { ...olds, spec: { ...olds.spec, clusterId: "core-ffffffff" } };
        assert.throws(() => refuseOtherMachines(olds, other, ready), {
            code: "INVALID_INPUT",
            message: /belongs to the cluster .*, and the program now has core-ffffffff[\s\S]*pulumi stack import/,
        });
        assert.throws(() => refuseOtherMachines(olds, other, begun), { code: "INVALID_INPUT" });
        refuseOtherMachines(olds, other, untouched);
        refuseOtherMachines(olds, { ...olds, spec: { ...olds.spec, clusterId: unknownValue } }, ready);
    });

    it("cannot all be other machines", () => {
        const news = of("x", "y", "z");
        const all =
            /cannot all be other machines: .* m1 at a, m2 at b, m3 at c, .* m1 at x, m2 at y, m3 at z; [\s\S]*one master's address/;
        for (const name of ["m1", "m2", "m3"]) refusal(host(of("a", "b", "c"), name), host(news, name), all);
        refusal(
            three,
            host([
                { name: "m1", address: "x" },
                { name: "m9", address: "b" },
            ]),
            /cannot all be other machines/,
        );
        refusal(three, host(of("x")), /cannot all be other machines/);
    });

    it("can all be other machines where a restore onto new ones is asked for, once for each word", () => {
        const news = host(of("x", "y", "z"));
        refuseOtherMachines(three, { ...news, ontoNew: "one" }, ready);
        refuseOtherMachines({ ...three, ontoNew: "one" }, { ...news, ontoNew: "two" }, ready);
        const again = { ...news, ontoNew: "one" };
        refusal({ ...three, ontoNew: "one" } as typeof three, again, /cannot all be other machines/);
    });

    it("cannot be another machine as the only one", () => {
        refusal(
            one,
            host(of("x")),
            /controlPlane\.m1\.address: m1 is the only master .* at a, x is asked[\s\S]*add two masters[\s\S]*no cluster come up yet: pulumi destroy/,
        );
        refusal(one, host(of("x", "y")), /m1 is the only master/);
    });

    it("may move one by one, also two of three: the one that stays keeps the data", () => {
        refuseOtherMachines(three, host(of("x", "b", "c")), ready);
        refuseOtherMachines(three, host(of("x", "y", "c")), ready);
        refuseOtherMachines(three, host(of("a")), ready);
    });

    it("may have another address where it was never made ready, is not known yet, or follows a cloud's servers", () => {
        const moved = host(of("x"));
        refuseOtherMachines(one, moved, begun);
        refuseOtherMachines(one, host(of(unknownValue)), ready);
        refuseOtherMachines(one, { ...moved, server: { cloud: {} } } as never, ready);
        refuseOtherMachines({ ...one, spec: { ...one.spec, role: "worker" } }, moved, ready);
    });
});
