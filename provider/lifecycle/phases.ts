import { applying as a } from "./applying-phases";
import { leaving as l, terminating as t } from "./deleting-phases";
import type { Operation, OperationKind } from "./operation";
import type { BackEnd, Phase } from "./phase";
import {
    again,
    as,
    changedCloudProvider,
    changedControlPlane,
    changedHosts,
    changedNetwork,
    changedWorkers,
    former,
    inTurn,
    joinAgain,
    recordPeers,
    replaceHosts,
} from "./phase-variants";

/** What one operation does, in order. A run with several operations goes once through all their phases. */
export interface PhaseList {
    kind: OperationKind;
    direction?: Operation["direction"];
    /** Which of several lists of the same operation it is. */
    when?: string;
    /** @default all */
    on?: readonly BackEnd[];
    phases: readonly Phase[];
}

/** Phases in which nothing changes are left out, except the start and the end. */
export const phaseLists: readonly PhaseList[] = [
    {
        kind: "instantiate",
        phases: [
            a.check,
            a.serverKeys,
            a.credential,
            a.clusterId,
            a.clusterKeys,
            a.start,
            ...[a.networks, a.keyPair, a.ports, a.access, a.novaLeftovers, a.servers, a.heatLeftovers],
            ...[a.volumes, a.attach, a.guard],
            a.membership,
            a.images,
            a.hosts,
            a.joinControlPlane,
            a.network,
            a.cloudProvider,
            a.joinWorkers,
            a.ownerMark,
            a.vim,
            a.end,
        ],
    },
    {
        kind: "scale",
        direction: "out",
        phases: [
            a.check,
            a.clusterId,
            a.start,
            ...[a.ports, a.access, a.servers, a.volumes, a.attach, a.guard],
            a.membership,
            as(a.hosts, "prepare the new machines; HAProxy gets new control-plane nodes"),
            as(a.joinControlPlane, "new control-plane nodes join"),
            as(a.joinWorkers, "new workers join"),
            a.end,
        ],
    },
    {
        kind: "scale",
        direction: "in",
        on: ["hosts", "nova"],
        phases: [
            a.check,
            a.clusterId,
            a.start,
            a.membership,
            as(a.hosts, "HAProxy loses control-plane nodes that leave"),
            ...recordPeers,
            a.end,
            l.workersLeave,
            l.controlPlaneLeaves,
            l.resetHosts,
            ...[l.hostsGo, l.detach, l.deleteServers, l.deletePorts, l.deleteVolumes],
        ],
    },
    {
        kind: "scale",
        direction: "in",
        on: ["heat"],
        phases: [
            a.check,
            a.clusterId,
            as(a.start, "determine the operation; workers leave together, then control-plane nodes one after another"),
            as(a.servers, "the stack deletes the servers"),
            a.membership,
            as(a.hosts, "HAProxy loses control-plane nodes that have left"),
            ...recordPeers,
            a.end,
            as(l.workersLeave, "forget the workers: they have left"),
            as(l.controlPlaneLeaves, "forget the control-plane nodes: they have left"),
            as(l.resetHosts, "forget the machines: their servers are gone", { id: "forget-hosts", on: ["heat"] }),
        ],
    },
    {
        kind: "heal",
        when: "the former machine is there: another address, or `--replace` of a server",
        on: ["hosts", "nova"],
        phases: [
            a.check,
            a.clusterId,
            a.start,
            former({ ...l.workersLeave, after: ["start"] }, ["Host", "Instance"]),
            former({ ...l.controlPlaneLeaves, after: ["start"] }, ["Host", "Instance"]),
            former(l.resetHosts, ["Host"]),
            former(l.hostsGo, ["Instance"], { on: ["nova"], title: "delete the Host of the former server" }),
            former(l.detach, ["Instance"]),
            former(l.deleteServers, ["Instance"], {
                on: ["nova"],
                title: "delete the server",
                after: ["hosts-go:own", "detach:own"],
            }),
            { ...again(a.servers, "make the server again", ["delete-servers"]), on: ["nova"] },
            again(a.attach, "attach the volumes", ["detach"]),
            a.membership,
            replaceHosts,
            ...joinAgain,
            a.end,
        ],
    },
    {
        kind: "heal",
        when: "a refresh found that the server is gone",
        on: ["nova", "heat"],
        phases: [
            a.check,
            a.clusterId,
            as(a.start, "determine the operation; mark lost servers in the stack"),
            as(a.servers, "make the server again"),
            a.attach,
            a.membership,
            former({ ...l.workersLeave, after: ["start", "servers:own"] }, ["Host"]),
            former({ ...l.controlPlaneLeaves, after: ["start", "servers:own"] }, ["Host"]),
            former(l.hostsGo, ["Host"], { title: "forget the former machine" }),
            replaceHosts,
            ...joinAgain,
            a.end,
        ],
    },
    {
        kind: "change_external_connectivity",
        phases: [
            a.check,
            a.clusterId,
            a.start,
            as(a.access, "change floating addresses and security rules"),
            as(a.servers, "change the stack", { on: ["heat"] }),
            a.membership,
            as(a.hosts, "serve the new endpoint beside the former one", { pace: inTurn }),
            as(a.joinControlPlane, "API servers get certificates with both names"),
            as(a.vim, "prove the access through the new endpoint"),
            as(a.end, "move the nodes to the new endpoint, then end the former one"),
        ],
    },
    {
        kind: "change_current_package",
        phases: [
            a.check,
            a.clusterId,
            a.start,
            a.images,
            as(changedHosts, "stage new files, without effect; run the steps that changed"),
            changedControlPlane,
            changedNetwork,
            changedCloudProvider,
            changedWorkers,
            a.end,
        ],
    },
    {
        kind: "modify_information",
        phases: [
            a.check,
            a.clusterId,
            a.start,
            as(a.access, "change floating addresses and security rules"),
            as(a.servers, "change servers in place"),
            a.membership,
            changedHosts,
            changedControlPlane,
            changedNetwork,
            changedCloudProvider,
            changedWorkers,
            a.vim,
            a.end,
        ],
    },
    {
        kind: "terminate",
        phases: [
            ...[t.endGoes, t.clusterGoes, l.resetHosts, l.hostsGo, t.recordsGo],
            ...[t.credentialGoes, t.guardGoes, t.heatLeftoversGo, t.close],
            ...[l.detach, l.deleteServers, l.deletePorts, l.deleteVolumes, t.novaLeftoversGo],
            ...[t.keyPairGoes, t.networksGo],
            ...[t.startGoes, t.identityGoes, t.serverKeysGo, t.checkGoes],
        ],
    },
];
