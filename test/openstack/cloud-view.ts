import * as fs from "node:fs";
import * as path from "node:path";
import { ports, url } from "../../lab/openstack/settings";
import { eventually } from "../e2e/cluster-fixture";
import type { CloudFixture } from "./cloud-fixture";

/** A resource of a cluster made by Nova, in the cloud. */
export interface Thing {
    kind: Kind;
    /** The id in Pulumi's state. */
    id: string;
    name: string;
}

type Row = Record<string, string | undefined>;

interface Source {
    path: string;
    /** Key of the list in the answer. */
    key: string;
    isOurs(row: Row): boolean;
}

const neutron = (path: string, name = "name") =>
    url(ports.neutron, `/v2.0/${path}?${["id", name, "description"].map(field => `fields=${field}`).join("&")}`);
const portList = `${neutron("ports")}&fields=device_owner`;
const marked = ({ description }: Row) => description?.includes("pulumi-nfv.mark=") === true;
const named = ({ name }: Row) => /^core(-|$)/.test(name ?? "");

/** All kinds of which a killed run may leave one that disturbs the next run. */
const sources = {
    subnet: { path: neutron("subnets"), key: "subnets", isOurs: marked },
    router: { path: neutron("routers"), key: "routers", isOurs: marked },
    "router interface": {
        path: portList,
        key: "ports",
        isOurs: ({ device_owner: user }) => user?.startsWith("network:router_interface") === true,
    },
    rule: { path: neutron("security-group-rules", "direction"), key: "security_group_rules", isOurs: marked },
    port: { path: portList, key: "ports", isOurs: marked },
    "floating IP": { path: neutron("floatingips", "floating_ip_address"), key: "floatingips", isOurs: marked },
    "key pair": { path: url(ports.nova, "/v2.1/os-keypairs"), key: "keypairs", isOurs: named },
    server: { path: url(ports.nova, "/v2.1/servers"), key: "servers", isOurs: named },
} satisfies Record<string, Source>;

export type Kind = keyof typeof sources;
export const allKinds = Object.keys(sources) as Kind[];

/** Resources of these kinds that the cloud has now. */
export type CloudView = (kinds: readonly Kind[]) => Promise<Thing[]>;

/** Calls the APIs directly: during an `openstack` command a resource could appear and disappear. */
export function openCloudView({ rest }: CloudFixture): CloudView {
    return async kinds => {
        const answers = await rest.get<Answer>(kinds.map(kind => sources[kind].path));
        return kinds.flatMap((kind, i) => thingsIn(kind, answers[i]!));
    };
}

type Answer = Record<string, (Row & { keypair?: Row })[]>;

function thingsIn(kind: Kind, answer: Answer): Thing[] {
    const { key, isOurs }: Source = sources[kind];
    return answer[key]!.map((row): Row => row.keypair ?? row)
        .filter(isOurs)
        .map(row => {
            const name = row["name"] ?? row["floating_ip_address"] ?? "";
            return { kind, id: row["id"] ?? name, name };
        });
}

/** Ids in the stack's state, also while a run writes it. */
export function knownIds({ project }: CloudFixture): Promise<Set<string>> {
    const stacks = path.join(project.stateFolder, ".pulumi", "stacks");
    return eventually(5, async () => {
        const [file] = (fs.readdirSync(stacks, { recursive: true }) as string[]).filter(name => name.endsWith(".json"));
        const { checkpoint } = JSON.parse(fs.readFileSync(path.join(stacks, file!), "utf8"));
        const resources = (checkpoint.latest.resources ?? []) as { type: string; id?: string }[];
        return new Set(resources.flatMap(({ type, id }) => (type.startsWith("openstack:") && id ? [id] : [])));
    });
}
