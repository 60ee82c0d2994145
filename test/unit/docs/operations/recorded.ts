import { edgesFile } from "../../../../dev/operations/edges";
import { runBetween } from "../../../../dev/operations/order";
import { type Operation, operationsPage } from "../../../../dev/operations/page";
import { type BackEnd, backEnds } from "../../../../dev/operations/rows";
import type { Registered } from "../../components/recorder";
import { type Change, Programs } from "./programs";

interface Wanted {
    title: string;
    about: string;
    /** @default all */
    on?: readonly BackEnd[];
    /** "none": there is no cluster. */
    from?: Change | "none";
    to: Change | "none" | ((on: BackEnd) => Change);
}

/** A node of each back end. */
const second: Record<BackEnd, string> = { hosts: "m3", nova: "core-control-plane-3", heat: "core-control-plane-3" };
const heals = (on: BackEnd) => ({ run: "one", nodes: { [second[on]]: 1 } });

const onHosts: Change = {
    ...{ os: { upgrade: "one" }, restart: { containerRuntime: "one" }, etcdRestore: { run: "one" } },
    rotate: { encryptionKey: "one", serviceAccountKey: "one", authorities: "one" },
};
const inCloud: Change = { ...onHosts, rotate: { ...onHosts.rotate, loginKey: "one" } };
const requests: Record<BackEnd, Change> = { hosts: onHosts, nova: inCloud, heat: inCloud };

/** What OperationStart finds out: the operation is new, so that its hooks are due. */
const history = [{ id: "1" }];

const wanted: readonly Wanted[] = [
    {
        title: "instantiate",
        about: "The cluster is made, with all parts that a program may ask for.",
        from: "none",
        to: {},
    },
    {
        title: "scale out",
        about: "Two control-plane nodes and two workers join.",
        to: { nodes: { controlPlane: 5, workers: 4 } },
    },
    {
        title: "scale in",
        about: "Two control-plane nodes and two workers leave. With `heat`, `OperationStart` takes them out of the cluster, before the stack deletes their servers; their deletion at the end only forgets them.",
        from: { nodes: { controlPlane: 5, workers: 4 } },
        to: {},
    },
    {
        title: "heal: rejoin",
        about: "`heal` asks for control-plane node m3; it leaves and joins again on its machine.",
        to: on => ({ heal: { run: "one", nodes: [second[on]], cure: "rejoin" }, start: { heals: heals(on) } }),
    },
    {
        title: "heal: another machine",
        about: "Control-plane node m3 has another address.",
        on: ["hosts"],
        to: { address: { m3: "10.99.0.212" } },
    },
    {
        title: "heal: another server",
        about: "`heal` asks for another server of control-plane node m3. With `heat`, `OperationStart` takes the node out of the cluster and deletes its server; its deletion only forgets it.",
        on: ["nova", "heat"],
        to: on => ({
            heal: { run: "one", nodes: [second[on]], cure: "server" },
            start: {
                heals: { ...heals(on), servers: { [second[on]]: [1] } },
                generations: on === "heat" ? { [second[on]]: 1 } : {},
            },
        }),
    },
    {
        title: "change external connectivity",
        about: "Another address of the endpoint.",
        on: ["hosts"],
        to: { controlPlane: { endpoint: { vip: { address: "10.99.0.101" } } } },
    },
    {
        title: "change current package",
        about: "Another version of Kubernetes. A control-plane node that switches to it saves etcd's data, kubeadm moves its static pods, it is drained, kubelet switches, it is uncordoned; a worker is drained, kubelet switches, it is uncordoned.",
        to: { version: "1.36.4" },
    },
    {
        title: "modify information: settings",
        about: "Other kernel settings, and other settings of kubelet.",
        to: { sysctls: { "vm.max_map_count": "262144" }, kubelet: { maxPods: 200 } },
    },
    {
        title: "modify information: requests",
        about: "The program asks for all that is done once for each request. A program that asks for one of them has its row alone.",
        to: on => requests[on],
    },
    { title: "terminate", about: "The cluster is destroyed.", to: "none" },
];

export interface Recordings {
    operations: Operation[];
    /** With all that a program can ask for, by back end. */
    programs: Record<BackEnd, Registered[]>;
}

/** Records all programs of the page. */
export async function recordAll(): Promise<Recordings> {
    const all = new Programs();
    const recorded = async (on: BackEnd, change: Change | "none") => {
        if (change === "none") return [];
        const isChanged = Object.keys(change).length > 0;
        return all.of(on, isChanged ? { ...change, start: { history, ...change.start } } : {});
    };
    try {
        const operations: Operation[] = [];
        for (const { title, about, on = backEnds, from = {}, to } of wanted) {
            const runs: Operation["runs"] = {};
            for (const each of on)
                runs[each] = runBetween(
                    await recorded(each, from),
                    await recorded(each, typeof to === "function" ? to(each) : to),
                );
            operations.push({ title, about, runs, ...(to === "none" && { ends: true }) });
        }
        const programs = {
            hosts: await recorded("hosts", onHosts),
            nova: await recorded("nova", inCloud),
            heat: await recorded("heat", inCloud),
        };
        return { operations, programs };
    } finally {
        all.end();
    }
}

/** The files that are made from recordings. */
export const filesOf = ({ operations, programs }: Recordings): Record<string, string> => ({
    "docs/operations.md": operationsPage(operations),
    "pipeline/timeline/edges.ts": edgesFile(Object.values(programs).map(resources => runBetween([], resources))),
});
