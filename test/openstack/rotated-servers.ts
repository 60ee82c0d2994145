import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RotateArgs } from "../../components/args/rotate-args";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { versions } from "../../tools/versions";
import { command } from "../e2e/cluster-fixture";
import { killTree } from "../support/kill-tree";
import { type CloudFixture, destroyOrSay, footprint, openCloudFixture, serverIds } from "./cloud-fixture";

/** A cluster of a control-plane node, workers and a jump server, whose servers' keys a story rotates. */
export interface RotatedServers {
    fixture: CloudFixture;
    /** What the project had before. */
    untouched: Record<string, string[]>;
    configure(rotate: RotateArgs | undefined, workers?: number): Promise<void>;
    /** Text of the state, with its secrets. */
    state(): Promise<string>;
    /** An output of ServerKeys, which is a secret. */
    secret(output: string): Promise<any>;
    /** Path of a file of the story, for its user alone. */
    save(name: string, text: string): string;
    /** Names of the servers. */
    servers(): Promise<string[]>;
    /** What a script says on the server, or why we do not get there. */
    say(server: string, by: Way, script?: string): Promise<string>;
    /** Arguments of `ssh` for that. */
    ssh(server: string, by: Way): Promise<string[]>;
    /** Starts `pulumi up`, and fails if it does not fail. The whole output, in one line. */
    failedUp(): Promise<string>;
    /** Kills an `up` so many milliseconds after `seen` is in its output. False: it ended before that. What a killed run leaves is looked at. */
    killUp(ms: number, seen?: RegExp): Promise<boolean>;
    close(): Promise<void>;
}

export interface Way {
    /** Path of a private key. */
    key: string;
    /** Paths of those by which the jump server lets us through. @default that one */
    through?: string[];
    /** @default "nfv" */
    user?: string;
    /** Path of the `known_hosts` that the server must have a line in; the jump server on the way need not. @default any host key is taken */
    knownHosts?: string;
}

interface Kind {
    backEnd: "nova" | "heat";
    /** Further inputs of the cluster. */
    more: object;
}

export async function openRotatedServers(
    name: string,
    { backEnd, more }: Kind = { backEnd: "nova", more: {} },
): Promise<RotatedServers> {
    const fixture = await openCloudFixture("program", name, { programs: "test/openstack" });
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), `nfv-${name}-`));
    const { project, cloud } = fixture;
    const untouched = await footprint(fixture);

    const configure = (rotate: RotateArgs | undefined, workers = 1) => {
        const cluster = {
            infrastructure: {
                [backEnd]: {
                    ...{ image: cloud.images.kubernetes, flavor: "m1.medium" },
                    externalNetwork: cloud.publicNetwork,
                    access: { jumpServer: { flavor: "m1.small" } },
                },
            },
            kubernetes: { version: versions.kubernetes },
            controlPlane: { count: 1 },
            pools: { workers: { count: workers } },
            ...(rotate && { rotate }),
            ...more,
            ...{ kubelet: labKubelet, kubeProxy: labKubeProxy },
        };
        return project.setConfig({ cluster: JSON.stringify(cluster) });
    };
    const state = async () => {
        const file = path.join(folder, "state.json");
        await project.run(["stack", "export", "--show-secrets", "--file", file]);
        return fs.readFileSync(file, "utf8");
    };
    const secret = async (output: string) => {
        const { resources } = JSON.parse(await state()).deployment;
        const keys = resources.find(({ type }: { type: string }) => type.endsWith(":ServerKeys"));
        return JSON.parse(keys.outputs[output].plaintext);
    };
    const save = (file: string, text: string) => {
        const place = path.join(folder, file);
        fs.writeFileSync(place, text, { mode: 0o600 });
        return place;
    };
    /** By server: the addresses by which our tests reach it. */
    const places = async () => {
        const rows = (await fixture.list("servers")).filter(each => each.name.startsWith("core-"));
        const found: Record<string, { fixed: string; floating: string | undefined }> = {};
        for (const { id, name: server } of rows) {
            const { addresses } = await cloud.json<{ addresses: object }>(["server", "show", id]);
            const all = JSON.stringify(addresses).match(/\d+\.\d+\.\d+\.\d+/g) ?? [];
            const floating = all.find(each => each.startsWith("172.24.4."));
            found[server] = { fixed: all.find(each => each !== floating)!, floating };
        }
        return found;
    };
    const ssh = async (server: string, { key, through = [key], user = "nfv", knownHosts }: Way) => {
        const all = await places();
        const jump = all["core-jump"]!.floating!;
        const common = ["-i", key, "-F", "none", "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes"];
        const quiet = ["-o", "LogLevel=ERROR"];
        const anyHost = ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", ...quiet];
        const held = ["StrictHostKeyChecking=yes", `UserKnownHostsFile=${knownHosts}`, "GlobalKnownHostsFile=none"];
        const hosts = knownHosts === undefined ? anyHost : [...held.flatMap(each => ["-o", each]), ...quiet];
        const keys = through.flatMap(each => ["-i", each]).join(" ");
        const proxy = `ssh -F none ${keys} -o IdentitiesOnly=yes ${anyHost.join(" ")} -W %h:%p nfv@${jump}`;
        const target =
            server === "core-jump"
                ? [`${user}@${jump}`]
                : ["-o", `ProxyCommand=${proxy}`, `${user}@${all[server]!.fixed}`];
        return cloud.enter(["ssh", ...common, ...hosts, ...target]);
    };
    return {
        ...{ fixture, untouched, configure, state, secret, save, ssh },
        servers: async () => Object.keys(await serverIds(fixture)).sort(),
        say: async (server, by, script = "echo yes") =>
            command([...(await ssh(server, by)), script]).then(
                said => said.trim(),
                (error: Error) =>
                    /Permission denied[^\n]*|Host key verification failed/.exec(error.message)?.[0] ?? error.message,
            ),
        failedUp: async () => {
            const { code, output } = await project.start(["up", "--yes", "--skip-preview", "--non-interactive"]).done;
            assert.notEqual(code, 0, output);
            return output.replace(/\s+/g, " ");
        },
        killUp: async (ms, seen = /./) => {
            let began: () => void = () => {};
            const begin = new Promise<void>(resolve => {
                began = resolve;
            });
            let text = "";
            const run = project.start(["up", "--yes", "--skip-preview", "--non-interactive"], piece => {
                text += piece;
                if (seen.test(text)) began();
            });
            const ended = await Promise.race([
                run.done.then(() => true),
                begin.then(() => sleep(ms)).then(() => false),
            ]);
            if (ended) return false;
            killTree(run.pid);
            await run.done;
            await project.stack.cancel();
            await project.run(["refresh", "--yes", "--skip-preview", "--non-interactive"]);
            return true;
        },
        close: async () => {
            await destroyOrSay(fixture);
            await fixture.close();
            fs.rmSync(folder, { recursive: true, force: true });
        },
    };
}
