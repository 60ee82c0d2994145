import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { labKubelet, labKubeProxy } from "../../lab/node-settings";
import { versions } from "../../tools/versions";
import { command } from "../e2e/cluster-fixture";
import { killTree } from "../support/kill-tree";
import { asStory } from "../support/story";
import {
    type CloudFixture,
    destroyOrSay,
    destroyWithoutTrace,
    footprint,
    openCloudFixture,
    readyNodes,
    serverIds,
} from "./cloud-fixture";

const name = "e2e-login-key";

describe("the key by which the servers of a cloud are reached", function () {
    this.timeout("20m");
    asStory(this);
    let fixture: CloudFixture;
    let folder: string;
    let untouched: Record<string, string[]>;
    /** Path of the first private key. */
    let first: string;
    let second: string;

    const configure = (loginKey: string | undefined, workers = 1) => {
        const cluster = {
            infrastructure: {
                nova: {
                    ...{ image: fixture.cloud.images.kubernetes, flavor: "m1.medium" },
                    externalNetwork: fixture.cloud.publicNetwork,
                    access: { jumpServer: { flavor: "m1.small" } },
                },
            },
            kubernetes: { version: versions.kubernetes },
            controlPlane: { count: 1 },
            pools: { workers: { count: workers } },
            ...(loginKey && { rotate: { loginKey } }),
            ...{ kubelet: labKubelet, kubeProxy: labKubeProxy },
        };
        return fixture.project.setConfig({ cluster: JSON.stringify(cluster) });
    };
    const state = async () => {
        const file = path.join(folder, "state.json");
        await fixture.project.run(["stack", "export", "--show-secrets", "--file", file]);
        return fs.readFileSync(file, "utf8");
    };
    /** An output of ServerKeys, which is a secret. */
    const secret = async (output: string) => {
        const { resources } = JSON.parse(await state()).deployment;
        const keys = resources.find(({ type }: { type: string }) => type.endsWith(":ServerKeys"));
        return JSON.parse(keys.outputs[output].plaintext);
    };
    const save = (key: string, text: string) => {
        const file = path.join(folder, key);
        fs.writeFileSync(file, text, { mode: 0o600 });
        return file;
    };
    /** The part of a private key that is random: its beginning is the same in all. */
    const secretOf = (file: string) => fs.readFileSync(file, "utf8").split("\n")[2]!;

    /** By server: the addresses by which our tests reach it. */
    const places = async () => {
        const rows = (await fixture.list("servers")).filter(each => each.name.startsWith("core-"));
        const found: Record<string, { fixed: string; floating: string | undefined }> = {};
        for (const { id, name: server } of rows) {
            const { addresses } = await fixture.cloud.json<{ addresses: object }>(["server", "show", id]);
            const all = JSON.stringify(addresses).match(/\d+\.\d+\.\d+\.\d+/g) ?? [];
            const floating = all.find(each => each.startsWith("172.24.4."));
            found[server] = { fixed: all.find(each => each !== floating)!, floating };
        }
        return found;
    };
    /** What the server's user says; "yes" without a command. Or why the server refuses the key. */
    const letsIn = async (key: string, server: string, user: string, script = "echo yes") => {
        const all = await places();
        const jump = all["core-jump"]!.floating!;
        const common = ["-i", key, "-F", "none", "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes"];
        const anyHost = [
            "-o",
            "StrictHostKeyChecking=no",
            "-o",
            "UserKnownHostsFile=/dev/null",
            "-o",
            "LogLevel=ERROR",
        ];
        // The way through the jump server always has a key that it takes.
        const way = fs.existsSync(second) ? [second, first] : [first];
        const through = way.flatMap(each => ["-i", each]).join(" ");
        const proxy = `ssh -F none ${through} -o IdentitiesOnly=yes ${anyHost.join(" ")} -W %h:%p nfv@${jump}`;
        const target =
            server === "core-jump"
                ? [`${user}@${jump}`]
                : ["-o", `ProxyCommand=${proxy}`, `${user}@${all[server]!.fixed}`];
        return command(fixture.cloud.enter(["ssh", ...common, ...anyHost, ...target, script])).then(
            said => said.trim(),
            (error: Error) => /Permission denied[^\n]*/.exec(error.message)?.[0] ?? error.message,
        );
    };
    const servers = async () => Object.keys(await serverIds(fixture)).sort();
    const isLetIn = async (key: string, wanted: boolean, users = ["nfv", "debian"]) => {
        for (const server of await servers()) {
            for (const user of users) {
                const said = await letsIn(key, server, user);
                assert.match(said, wanted ? /^yes$/ : /Permission denied/, `${server}, ${user}: ${said}`);
            }
        }
    };

    before(async () => {
        fixture = await openCloudFixture("program", name, { programs: "test/openstack" });
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "nfv-login-key-"));
        second = path.join(folder, "second");
        untouched = await footprint(fixture);
        await configure(undefined);
    });

    after(async () => {
        await destroyOrSay(fixture);
        await fixture?.close();
        if (folder) fs.rmSync(folder, { recursive: true, force: true });
    });

    it("is joined by another one with the first `up`, on all servers; nothing else changes", async () => {
        await fixture.project.up();
        first = save("first", await secret("privateKey"));
        await isLetIn(first, true);
        const before = await serverIds(fixture);
        await configure("2026-11");
        const preview = await fixture.project.preview();
        console.log(preview.replace(/^(?=.)/gm, "      "));
        assert.match(preview, /a new login key is made known to core-control-plane-1, core-jump, core-workers-1/);
        const changed = preview.split("\n").filter(line => /^\s*[+~-]+\s+\S+:\S+ /.test(line));
        for (const line of changed) assert.match(line, /LoginRotation|OperationStart/);
        // This server's sshd lets our key in by a command, and takes none from files of a home that others may write.
        const setting = "/etc/ssh/sshd_config.d/refuse.conf";
        const refuse =
            "sudo sh -c 'cat /home/nfv/.ssh/authorized_keys >/etc/ssh/former; chmod 644 /etc/ssh/former; chmod 777 /home/nfv; " +
            `printf "AuthorizedKeysCommand /bin/cat /etc/ssh/former\\nAuthorizedKeysCommandUser nobody\\n" >${setting}; systemctl reload ssh; echo done'`;
        assert.equal(await letsIn(first, "core-workers-1", "nfv", refuse), "done");
        const { code, output } = await fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"])
            .done;
        assert.notEqual(code, 0, output);
        assert.match(output.replace(/\s+/g, " "), /have the new login key and refuse it: core-workers-1 \(/);
        const undo = `sudo sh -c 'rm ${setting} /etc/ssh/former; chmod 755 /home/nfv; systemctl reload ssh; echo done'`;
        assert.equal(await letsIn(first, "core-workers-1", "nfv", undo), "done");
        await fixture.project.up();
        second = save("second", (await secret("logins"))["1"].privateKey);
        const { resources } = JSON.parse(await state()).deployment;
        const rotation = resources.filter(({ type }: { type: string }) => type.endsWith(":LoginRotation"));
        assert.ok(!JSON.stringify(rotation).includes(secretOf(second)), "stored once more");
        await isLetIn(second, true, ["nfv"]);
        await isLetIn(first, true);
        assert.deepEqual(await serverIds(fixture), before);
    });

    it("ends on all servers, for every user, with the next one, also after kills", async () => {
        const preview = await fixture.project.preview();
        assert.match(preview, /the former login key goes from core-control-plane-1, core-jump, core-workers-1/);
        for (const seconds of [12, 25]) {
            const run = fixture.project.start(["up", "--yes", "--skip-preview", "--non-interactive"]);
            const ended = await Promise.race([run.done.then(() => true), sleep(seconds * 1000)]);
            if (ended) {
                console.log(`      ended within ${seconds} s`);
                break;
            }
            killTree(run.pid);
            await run.done;
            await fixture.project.stack.cancel();
            // What a killed run leaves can be looked at, and taken away.
            await fixture.project.run(["refresh", "--yes", "--skip-preview", "--non-interactive"]);
        }
        await fixture.project.up();
        await isLetIn(second, true, ["nfv"]);
        await isLetIn(first, false);
    });

    it("leaves the state with the run after that, and then nothing changes any more", async () => {
        await fixture.project.up();
        assert.ok(!(await state()).includes(secretOf(first)), "the former private key is in the state");
        await fixture.project.up({ refresh: true, expectNoChanges: true });
        assert.deepEqual(await readyNodes(fixture), ["core-control-plane-1", "core-workers-1"]);
    });

    it("does not come back on a server that is made later", async () => {
        await configure("2026-11", 2);
        await fixture.project.up();
        assert.deepEqual(await readyNodes(fixture), ["core-control-plane-1", "core-workers-1", "core-workers-2"]);
        await isLetIn(second, true, ["nfv"]);
        await isLetIn(first, false);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("is refused without its word, before anything is touched; `pulumi destroy` leaves nothing", async () => {
        await configure(undefined, 2);
        const { code, output } = await fixture.project.start(["preview", "--non-interactive"]).done;
        assert.notEqual(code, 0, output);
        assert.match(output.replace(/\s+/g, " "), /rotate\.loginKey was taken out of the program.*Put "2026-11" back/);
        await destroyWithoutTrace(fixture, untouched);
    });
});
