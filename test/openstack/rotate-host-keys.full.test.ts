import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { killProcess } from "../support/kill-tree";
import { asStory } from "../support/story";
import { type CloudFixture, destroyWithoutTrace, readyNodes, serverIds } from "./cloud-fixture";
import { openRotatedServers, type RotatedServers } from "./rotated-servers";

describe("the host keys of a cloud's servers", function () {
    this.timeout("25m");
    asStory(this);
    let servers: RotatedServers;
    let fixture: CloudFixture;
    let login: string;
    /** Paths of files for OpenSSH: the keys before, and after. */
    let former: string;
    let next: string;
    const seeds: string[] = [];

    const known = async (name: string) => servers.save(name, await fixture.project.output("knownHosts"));
    /** "yes", or why OpenSSH refuses, with these keys alone. */
    const shows = (server: string, knownHosts: string) => servers.say(server, { key: login, knownHosts });
    const allShow = async (knownHosts: string, wanted: boolean) => {
        for (const server of await servers.servers()) {
            const said = await shows(server, knownHosts);
            assert.match(said, wanted ? /^yes$/ : /Host key verification failed/, `${server}: ${said}`);
        }
    };
    const lines = async (file: string) =>
        (await servers.say("core-jump", { key: login }, file)).split("\n").filter(Boolean);

    before(async () => {
        servers = await openRotatedServers("e2e-host-keys");
        fixture = servers.fixture;
        await servers.configure(undefined);
    });

    after(() => servers?.close());

    it("are those of the output knownHosts, and the only ones of their servers", async () => {
        await fixture.project.up();
        login = servers.save("login", await servers.secret("privateKey"));
        seeds.push(await servers.secret("seed"));
        former = await known("former");
        await allShow(former, true);
        console.log(`      host keys of a server: ${(await lines("ls /etc/ssh/ssh_host_*_key")).join(", ")}`);
    });

    it("change on all servers but one that refuses: it is named, keeps its key, and all are reached", async () => {
        const before = await serverIds(fixture);
        await servers.configure({ hostKeys: "2026-11" });
        const preview = await fixture.project.preview();
        console.log(preview.replace(/^(?=.)/gm, "      "));
        assert.match(
            preview,
            /the SSH servers of core-control-plane-1, core-workers-1, core-jump get another host key/,
        );
        const other = "/etc/ssh/sshd_config.d/other.conf";
        const refuse = `sudo sh -c 'ssh-keygen -q -N "" -t ed25519 -f /etc/ssh/other && echo "HostKey /etc/ssh/other" >${other}; echo done'`;
        assert.equal(await servers.say("core-workers-1", { key: login }, refuse), "done");
        const said = await servers.failedUp();
        assert.match(said, /did not take their new host key: core-workers-1 \(.*HostKey in its settings is yours/);
        assert.equal(await shows("core-workers-1", former), "yes");
        assert.match(await shows("core-jump", former), /Host key verification failed/);
        await fixture.project.run(["refresh", "--yes", "--skip-preview", "--non-interactive"]);
        const undo = `sudo sh -c 'rm ${other} /etc/ssh/other*; echo done'`;
        assert.equal(await servers.say("core-workers-1", { key: login }, undo), "done");
        assert.deepEqual(await serverIds(fixture), before);
    });

    it("change after runs that were killed while servers got theirs; an open session goes on", async () => {
        await servers.configure({ hostKeys: "2026-11" });
        const [program, ...argv] = await servers.ssh("core-workers-1", { key: login });
        const session = spawn(program!, [...argv, "echo open; sleep 1000"], { stdio: ["ignore", "pipe", "ignore"] });
        try {
            await new Promise(resolve => session.stdout.once("data", resolve));
            // Not at once: Pulumi writes its state then, and a kill can leave half of that file.
            for (const ms of [1500, 4000]) {
                const isKilled = await servers.killUp(ms, /HostKeyRotation/);
                console.log(`      ${isKilled ? "killed" : "ended"} ${ms} ms after the rotation began`);
                if (!isKilled) break;
            }
            await fixture.project.up();
            assert.equal(session.exitCode, null, "the open session has ended");
        } finally {
            killProcess(session.pid!);
        }
        next = await known("both");
        await allShow(next, true);
        await allShow(former, false);
        seeds.push((await servers.secret("seeds"))["1"]);
    });

    it("are taken alone by the next run, which forgets the former ones, also after a kill", async () => {
        const preview = await fixture.project.preview();
        assert.match(preview, /only the new host keys of core-control-plane-1, core-workers-1, core-jump are taken/);
        console.log(`      ${(await servers.killUp(15_000)) ? "killed" : "ended"} after 15 s`);
        await fixture.project.up();
        const state = await servers.state();
        assert.ok(!state.includes(seeds[0]!), "the former seed is in the state");
        assert.ok(state.includes(seeds[1]!));
        next = await known("next");
        await allShow(next, true);
        await fixture.project.up({ refresh: true, expectNoChanges: true });
        assert.deepEqual(await readyNodes(fixture), ["core-control-plane-1", "core-workers-1"]);
    });

    it("are those of the new seed on a server that is made later", async () => {
        await servers.configure({ hostKeys: "2026-11" }, 2);
        await fixture.project.up();
        assert.equal((await servers.servers()).length, 4);
        await allShow(await known("next"), true);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("change beside the login key in the same runs", async () => {
        const rotate = { hostKeys: "2027-01", loginKey: "2027-01" };
        await servers.configure(rotate, 2);
        await fixture.project.up();
        await fixture.project.up();
        await fixture.project.up();
        login = servers.save("later", (await servers.secret("logins"))["1"].privateKey);
        await allShow(await known("later-hosts"), true);
        await allShow(next, false);
        await fixture.project.up({ refresh: true, expectNoChanges: true });
    });

    it("are refused without their word, before anything is touched; `pulumi destroy` leaves nothing", async () => {
        await servers.configure({ loginKey: "2027-01" }, 2);
        const { code, output } = await fixture.project.start(["preview", "--non-interactive"]).done;
        assert.notEqual(code, 0, output);
        assert.match(output.replace(/\s+/g, " "), /rotate\.hostKeys was taken out of the program.*Put "2027-01" back/);
        await destroyWithoutTrace(fixture, servers.untouched);
    });
});
