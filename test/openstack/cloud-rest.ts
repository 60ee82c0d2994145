import * as fs from "node:fs";
import * as path from "node:path";
import type { Cloud } from "../../lab/openstack";
import { ports, url } from "../../lab/openstack/settings";
import { command } from "../e2e/cluster-fixture";

/**
 * Calls the APIs of the lab's cloud with curl, as the project's user: each `openstack` command would be a Python process that takes
 * a second or two. The token lives for a test's time only.
 */
export class CloudRest {
    private login?: Promise<{ header: string; project: string }>;
    private bodies = 0;

    /** `folder`: place for a file with the token that only root can read. */
    constructor(
        private readonly cloud: Cloud,
        private readonly folder: string,
    ) {}

    /** The answers to GET of these paths, in their order. {project} stands for the project's id. */
    async get<T>(places: readonly string[]): Promise<T[]> {
        this.login ??= this.logIn();
        const { header, project } = await this.login;
        const end = "\n--- end of an answer ---\n";
        const quiet = ["-sS", "--fail", "--max-time", "60", "--header", `@${header}`, "--write-out", end];
        const urls = places.map(place => place.replace("{project}", project));
        const said = await command(this.cloud.enter(["curl", ...quiet, ...urls]));
        return said
            .split(end)
            .slice(0, urls.length)
            .map(answer => JSON.parse(answer) as T);
    }

    /** The answer to a request with another method; undefined if it has no content. `body` may hold secrets. */
    async send<T>(method: "POST" | "PUT" | "DELETE", place: string, body?: object): Promise<T> {
        this.login ??= this.logIn();
        const { header, project } = await this.login;
        const words = ["-sS", "--fail-with-body", "--max-time", "60", "-X", method, "--header", `@${header}`];
        if (body !== undefined) {
            // A name of its own, as requests may run side by side; in no command line, as every user can read those.
            const file = path.join(this.folder, `body-${++this.bodies}`);
            fs.writeFileSync(file, JSON.stringify(body), { mode: 0o600 });
            words.push("--header", "Content-Type: application/json", "--data", `@${file}`);
        }
        const said = await command(this.cloud.enter(["curl", ...words, place.replace("{project}", project)]));
        return (said === "" ? undefined : JSON.parse(said)) as T;
    }

    private async logIn() {
        const { id, project_id: project } = await this.cloud.json<Record<string, string>>(["token", "issue"]);
        // Every user of the machine can read command lines.
        const header = path.join(this.folder, "header");
        fs.writeFileSync(header, `X-Auth-Token: ${id}\n`, { mode: 0o600 });
        return { header, project: project! };
    }
}

const neutron = (what: string) => url(ports.neutron, `/v2.0/${what}?project_id={project}&fields=id&fields=name`);
const external = url(
    ports.neutron,
    "/v2.0/floatingips?project_id={project}&fields=id&fields=name&fields=floating_ip_address",
);

/** What a cluster could leave in the project: kind → path of the list, and its key in the answer. */
export const lists = {
    servers: [url(ports.nova, "/v2.1/servers"), "servers"],
    stacks: [url(ports.heat, "/v1/{project}/stacks"), "stacks"],
    ports: [neutron("ports"), "ports"],
    networks: [neutron("networks"), "networks"],
    routers: [neutron("routers"), "routers"],
    "security groups": [neutron("security-groups"), "security_groups"],
    "floating IPs": [external, "floatingips"],
    volumes: [url(ports.cinder, "/v3/{project}/volumes"), "volumes"],
    "key pairs": [url(ports.nova, "/v2.1/os-keypairs"), "keypairs"],
    "server groups": [url(ports.nova, "/v2.1/os-server-groups"), "server_groups"],
} as const satisfies Record<string, readonly [string, string]>;

export type Kind = keyof typeof lists;

export interface Listed {
    id: string;
    /** The name; a floating IP's address. */
    name: string;
}

export async function listAll(rest: CloudRest, kinds: readonly Kind[]): Promise<Record<Kind, Listed[]>> {
    type Row = { id?: string; name?: string; stack_name?: string; floating_ip_address?: string; keypair?: Row };
    const answers = await rest.get<Record<string, Row[]>>(kinds.map(kind => lists[kind][0]));
    const found = kinds.map((kind, i) => {
        const rows = answers[i]![lists[kind][1]]!.map(row => row.keypair ?? row);
        const listed = rows.map(({ id, name, stack_name, floating_ip_address }): Listed => {
            const called = floating_ip_address ?? stack_name ?? name ?? "";
            return { id: id ?? called, name: called };
        });
        return [kind, listed];
    });
    return Object.fromEntries(found) as Record<Kind, Listed[]>;
}
