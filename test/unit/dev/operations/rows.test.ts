import assert from "node:assert/strict";
import type { Recorded } from "../../../../dev/operations/acts";
import { runBetween } from "../../../../dev/operations/order";
import { operationsPage } from "../../../../dev/operations/page";
import { rowsOf } from "../../../../dev/operations/rows";

const cloud = (type: string, name: string, after: string[] = [], more: Partial<Recorded> = {}): Recorded => ({
    ...{ label: `${type} ${name}`, type: `openstack:x/x:${type}`, inputs: {}, state: { id: `${type}-${name}` } },
    ...{ after, deletedWith: "", retainOnDelete: false, ...more },
});
const host = (name: string, after: string[] = [], more: Partial<Recorded> = {}): Recorded => ({
    ...cloud("Host", name, after, more),
    type: "pulumi-nodejs:dynamic/nfv:Host",
});
const linesOf = (before: Recorded[], after: Recorded[], ends = false) =>
    rowsOf({ nova: runBetween(before, after) }, ends).map(
        ({ title, pace, waits }) =>
            `${title}${pace && ` (${pace})`}: ${[...waits].map(([row, of]) => `${row.title} ${of}`.trim()).join()}`,
    );

describe("rows of the page of operations", () => {
    const servers = ["a", "b"].map(name => cloud("Instance", name, ["Keypair k"], { inputs: { image: "x" } }));
    const hosts = ["a", "b"].map(name => host(name, [`Instance ${name}`, "Keypair k"]));
    const all = [cloud("Keypair", "k"), ...servers, ...hosts];

    it("name what waits, without what follows from that", () => {
        assert.deepEqual(linesOf([], all), [
            "make the key pair: ",
            "make the servers (all at once): make the key pair",
            "prepare the machines (all at once): make the servers of the same machine",
        ]);
    });

    it("of a deletion go the other way, without what goes together with something else", () => {
        const [key, a, b, ...machines] = all as [Recorded, Recorded, Recorded, ...Recorded[]];
        const gone = [key, a, { ...b, deletedWith: key.label }, ...machines];
        assert.deepEqual(linesOf(gone, [], true), [
            "reset the machines; those whose servers go are only forgotten (all at once): ",
            "delete the servers: reset the machines; those whose servers go are only forgotten of the same machine",
            "delete the key pair: delete the servers,reset the machines; those whose servers go are only forgotten",
        ]);
        assert.match(
            operationsPage([{ title: "terminate", about: "", runs: { nova: runBetween(gone, []) }, ends: true }]),
            /^\* with Keypair: Instance$/m,
        );
    });

    it("say of a resource with another input that it changes, and of what names a replaced one that it is replaced, too", () => {
        const other = all.map(each => (each === servers[0] ? { ...each, inputs: { image: "y" } } : each));
        assert.deepEqual(linesOf(all, other), ["change the servers: "]);
        const attached = [...all, cloud("VolumeAttach", "a", ["Instance a"], { inputs: { instance: "Instance-a" } })];
        const replaced = attached.map(each => (each === servers[0] ? { ...each, replacementTrigger: "2" } : each));
        assert.deepEqual(linesOf(attached, replaced), [
            "replace the servers: ",
            "replace what attaches the volumes: replace the servers of the same machine",
        ]);
    });

    it("tell what one after another waits for", () => {
        const chain = [host("a"), host("b", ["Host a"])];
        assert.deepEqual(linesOf([], chain), ["prepare the machines (one after another): "]);
    });

    it("that wait for each other are an error", () => {
        const mixed = [cloud("Volume", "v"), cloud("Port", "p", ["Volume v"]), cloud("Volume", "w", ["Port p"])];
        assert.throws(() => linesOf([], mixed), /wait for each other/);
    });
});
