import { join } from "node:path";
import { parse } from "yaml";
import {
    type ExpandedStack,
    expand,
    expandOwn,
    type HeatTemplateAnswers,
    type NfvAnswers,
    parseHot,
    readTemplate,
    type TemplateFiles,
    userData,
} from "../../../../../../components/infrastructure/openstack/hot";
import type { Role } from "../../../../../../provider/common/model";
import { projectRoot } from "../../../../../support/user-project";

export const fixture = (path: string): string =>
    join(projectRoot, "test/unit/components/infrastructure/openstack/hot/fixtures", path);

export const naming = (role: Role, pool: string | undefined, index: number): string =>
    role === "controlPlane" ? `core-control-plane-${index}` : `core-${pool}-${index}`;

/** Templates written in a test; the first is the top one. */
export function templates(texts: Record<string, string>): TemplateFiles {
    const hots = Object.entries(texts).map(([file, text]) => [file, parseHot(text, file)] as const);
    return { hot: hots[0][1], nested: Object.fromEntries(hots.slice(1)), files: {} };
}

const places = [
    "master_cp",
    "worker_cp",
    "vip_port",
    "masterNode_CP1",
    "workerNode_CP1",
    "storage_server_CP1",
    "vip_CP",
];
const machines = ["master", "worker", "masterNode", "workerNode", "storage_server"];

export function nfvAnswers(masters: number, workers: number, without: readonly number[] = []): NfvAnswers {
    return {
        vdus: Object.fromEntries(
            machines.map(name => [
                name,
                {
                    ...{ flavor: "m1.small", image: "debian" },
                    ...(name.startsWith("worker") ? { count: workers, without } : { count: masters }),
                },
            ]),
        ),
        connectionPoints: Object.fromEntries(places.map(name => [name, { network: "net0", subnet: "subnet0" }])),
    };
}

/** `without`: numbers that no worker has. */
type Sample = (masters: number, workers: number, without?: readonly number[]) => ExpandedStack;

const tacker =
    (path: string, userDataClass: string, groups: [string, string], more: Partial<HeatTemplateAnswers> = {}): Sample =>
    (masters, workers, without = []) => {
        const files = readTemplate(fixture(path));
        return expand(files, {
            naming,
            ...userData(userDataClass, files.hot, nfvAnswers(masters, workers, without)),
            groups: {
                [groups[0]]: { role: "controlPlane", count: masters },
                [groups[1]]: { role: "worker", pool: "workers", count: workers, without },
            },
            ...more,
        });
    };

/** Each style with any number of nodes. */
export const samples: Record<string, Sample> = {
    "v1, simple": tacker("v1-simple/top.yaml", "KubernetesClusterUserData", ["masters", "workers"]),
    "v1, highly available": tacker("v1-ha/top.yaml", "SampleUserData", ["master_instance", "worker_instance"], {
        vip: { port: "vip_port", floatingIp: "vip_outside" },
        servers: { "core-storage": { server: "storage_server", clusterCp: "storage_server_CP1" } },
        keyName: "core-key",
        userData: true,
    }),
    "v2, StandardUserData": tacker("v2/top.yaml", "StandardUserData", ["masterNode", "workerNode"], {
        vip: { port: "vip_CP", floatingIp: "vip_CP_floating_ip" },
    }),
    "v2, DefaultUserData": tacker("v2/top.yaml", "DefaultUserData", ["masterNode", "workerNode"]),
    "own, lists": (masters, workers, without = []) =>
        expandOwn(readTemplate(fixture("own-lists/cluster.yaml")), {
            naming,
            clusterName: "core",
            counts: { controlPlane: masters, pools: { "edge-workers": workers } },
            without: { pools: { "edge-workers": without } },
            parameters: { image: "debian", network: "net0" },
        }),
};

export interface FlatTemplate {
    heat_template_version: string;
    parameters: Record<string, any>;
    conditions?: Record<string, any>;
    resources: Record<string, any>;
    outputs: Record<string, { value: any }>;
}

export const flat = (stack: ExpandedStack): FlatTemplate => parse(stack.template);

/** Checks that an NfvError names place and cause. */
export const saying =
    (...parts: RegExp[]) =>
    (error: Error): true => {
        for (const part of parts) if (!part.test(error.message)) throw new Error(`${part} is not in: ${error.message}`);
        return true;
    };
