import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import { asStory } from "../support/story";
import { type CloudFixture, destroyWithoutTrace, readyNodes, serverIds } from "./cloud-fixture";
import { openRotatedServers, type RotatedServers } from "./rotated-servers";

describe("the key by which the servers of a cloud are reached", function () {
    this.timeout("20m");
    asStory(this);
    let servers: RotatedServers;
    let fixture: CloudFixture;
    /** Path of the first private key. */
    let first: string;
    let second: string | undefined;

    const configure = (loginKey: string | undefined, workers?: number) =>
        servers.configure(loginKey === undefined ? undefined : { loginKey }, workers);
    /** The part of a private key that is random: its beginning is the same in all. */
    const secretOf = (file: string) => fs.readFileSync(file, "utf8").split("\n")[2]!;
    /** What the server's user says; "yes" without a command. Or why the server refuses the key. */
    const letsIn = (key: string, server: string, user: string, script?: string) =>
        // The way through the jump server always has a key that it takes.
        servers.say(server, { key, user, through: second === undefined ? [first] : [second, first] }, script);
    const isLetIn = async (key: string, wanted: boolean, users = ["nfv", "debian"]) => {
        for (const server of await servers.servers()) {
            for (const user of users) {
                const said = await letsIn(key, server, user);
                assert.match(said, wanted ? /^yes$/ : /Permission denied/, `${server}, ${user}: ${said}`);
            }
        }
    };

    before(async () => {
        servers = await openRotatedServers("e2e-login-key");
        fixture = servers.fixture;
        await configure(undefined);
    });

    after(() => servers?.close());

    it("is joined by another one with the first `up`, on all servers; nothing else changes", async () => {
        await fixture.project.up();
        first = servers.save("first", await servers.secret("privateKey"));
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
        assert.match(await servers.failedUp(), /have the new login key and refuse it: core-workers-1 \(/);
        const undo = `sudo sh -c 'rm ${setting} /etc/ssh/former; chmod 755 /home/nfv; systemctl reload ssh; echo done'`;
        assert.equal(await letsIn(first, "core-workers-1", "nfv", undo), "done");
        await fixture.project.up();
        second = servers.save("second", (await servers.secret("logins"))["1"].privateKey);
        const { resources } = JSON.parse(await servers.state()).deployment;
        const rotation = resources.filter(({ type }: { type: string }) => type.endsWith(":LoginRotation"));
        assert.ok(!JSON.stringify(rotation).includes(secretOf(second)), "stored once more");
        await isLetIn(second!, true, ["nfv"]);
        await isLetIn(first, true);
        assert.deepEqual(await serverIds(fixture), before);
    });

    it("ends on all servers, for every user, with the next one, also after kills", async () => {
        const preview = await fixture.project.preview();
        assert.match(preview, /the former login key goes from core-control-plane-1, core-jump, core-workers-1/);
        for (const seconds of [12, 25]) {
            if (await servers.killUp(seconds * 1000)) continue;
            console.log(`      ended within ${seconds} s`);
            break;
        }
        await fixture.project.up();
        await isLetIn(second!, true, ["nfv"]);
        await isLetIn(first, false);
    });

    it("leaves the state with the run after that, and then nothing changes any more", async () => {
        await fixture.project.up();
        assert.ok(!(await servers.state()).includes(secretOf(first)), "the former private key is in the state");
        await fixture.project.up({ refresh: true, expectNoChanges: true });
        assert.deepEqual(await readyNodes(fixture), ["core-control-plane-1", "core-workers-1"]);
    });

    it("does not come back on a server that is made later", async () => {
        await configure("2026-11", 2);
        await fixture.project.up();
        assert.deepEqual(await readyNodes(fixture), ["core-control-plane-1", "core-workers-1", "core-workers-2"]);
        await isLetIn(second!, true, ["nfv"]);
        await isLetIn(first, false);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("is refused without its word, before anything is touched; `pulumi destroy` leaves nothing", async () => {
        await configure(undefined, 2);
        const { code, output } = await fixture.project.start(["preview", "--non-interactive"]).done;
        assert.notEqual(code, 0, output);
        assert.match(output.replace(/\s+/g, " "), /rotate\.loginKey was taken out of the program.*Put "2026-11" back/);
        await destroyWithoutTrace(fixture, servers.untouched);
    });
});
