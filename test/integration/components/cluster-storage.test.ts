import { strict as assert } from "node:assert";
import { exitCodes } from "../../../provider/shell/exit-codes";
import { FakeFleet } from "../../../testing";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt } from "../../support/user-project";
import { type Fixture, openFixture } from "./fleet-fixture";

/** Real engine, dynamic resources and SSH; what steps do is simulated. The storage server is a fleet of its own. */
describe("a cluster with storage in the real engine", function () {
    asStory(this);
    let fixture: Fixture;
    let storage: FakeFleet;
    let w2: object;
    const disk = "/dev/disk/by-id/virtio-data";

    /** What both fleets did, in order: "w1 cluster.join", "st1 storage.client w1 +". */
    const happened = () => {
        const own = storage.node("st1").agent.acts;
        let act = 0;
        const events = [...fixture.cluster.fleet.events, ...storage.events].filter(({ event }) => event === "begin");
        return events
            .sort((a, b) => a.time - b.time)
            .map(({ node, step }) => {
                if (step !== "storage.client") return `${node} ${step}`;
                const script = own.filter(({ id }) => id === "storage.client")[act++]!.script;
                const [, name] = /^NAME='(.*)'$/m.exec(script) ?? [];
                return `st1 storage.client ${name} ${/^ADDRESSES=''$/m.test(script) ? "-" : "+"}`;
            });
    };
    const at = (list: readonly string[], what: string) => {
        const found = list.indexOf(what);
        assert.ok(found >= 0, `${what} is not among\n${list.join("\n")}`);
        return found;
    };
    const ended = async (argv: readonly string[]) => {
        const before = happened().length;
        const { code, output } = await fixture.project.pulumi.start([
            ...argv,
            "--yes",
            "--skip-preview",
            "--non-interactive",
        ]).done;
        return { code, output, did: happened().slice(before) };
    };
    /** Runs `pulumi …` and returns what happened. */
    const run = async (...argv: string[]) => {
        const { code, output, did } = await ended(argv);
        assert.equal(code, 0, output);
        return did;
    };
    /** The same while the repository of the backups is away. */
    const runWithoutRepository = async (...argv: string[]) => {
        const { agent } = storage.node("st1");
        agent.failStep("storage.backup", 99, { exitCode: exitCodes.BACKUP_FAILED, output: "no route to host\n" });
        const { code, output, did } = await ended(argv);
        agent.failStep("storage.backup", 0);
        assert.notEqual(code, 0, output);
        assert.match(output, /BACKUP_FAILED[\s\S]*no route to host/);
        return did;
    };

    before(async function () {
        skipIf(this, notBuilt());
        storage = await FakeFleet.start({ nodes: ["st1"] });
        const isMade = () => storage.begun().includes("st1 storage.volumes");
        storage.node("st1").onScript(({ stdin }) => {
            const text = stdin.toString();
            if (!text.includes("look-at-disks")) return {};
            const [, uuid] = /^VOLUMES='data \S+ \S+ (\S+)/m.exec(text) ?? [];
            const signature = isMade() ? `signature ext4,${uuid},nfv\n` : "";
            return { stdout: `volume data\ndevice /dev/vdb\nbytes 1073741824\n${signature}` };
        });
        fixture = await openFixture(1, 2, () => 0.05);
        const { port, hostKey, privateKey } = storage.target("st1");
        fixture.args.storage = {
            server: { address: "10.99.9.9", ssh: { host: "127.0.0.1", port, hostKey, privateKey } },
            volumes: { data: { disk } },
            exports: { "/exports/data": { volume: "data" } },
            backups: { nightly: { repository: { folder: "/mnt/backup" }, password: "p", run: "one" } },
        };
        fixture.give();
    });
    after(async () => {
        await fixture?.close();
        await storage?.stop();
    });

    it("serves before any node joins, and each node has access before it joins, also if no backup can be made", async () => {
        const all = await runWithoutRepository("up");
        assert.equal(at(all, "st1 storage.backup"), all.length - 1, "nothing waits for it");
        for (const node of ["m1", "w1", "w2"]) {
            assert.ok(at(all, "st1 storage.exports") < at(all, `st1 storage.client ${node} +`));
            assert.ok(at(all, `st1 storage.client ${node} +`) < at(all, `${node} cluster.join`), node);
        }
    });

    it("makes the backup in the next run, and then needs nothing when nothing changed", async () => {
        assert.deepEqual(await run("up"), ["st1 storage.backup"]);
        assert.deepEqual(await run("up", "--expect-no-changes"), []);
    });

    it("touches only the storage server when its exports change", async () => {
        fixture.args.storage.exports["/exports/logs"] = { volume: "data" };
        fixture.give();
        const all = await run("up");
        const steps = all.filter(line => !/ cluster\.(endpoint|nodes-ready|coredns|coredns-apart)$/.test(line));
        const ofServer = ["backups", "folders", "exports", "unused"].map(step => `st1 storage.${step}`);
        // the backup is of all exports
        assert.deepEqual(steps, [...ofServer, "st1 storage.backup"]);
    });

    it("takes access from a node that leaves, after it has left", async () => {
        w2 = fixture.args.infrastructure.hosts.pools.workers.w2;
        delete fixture.args.infrastructure.hosts.pools.workers.w2;
        fixture.give();
        const all = await run("up");
        for (const step of ["m1 node.drain", "w2 node.leave", "m1 node.delete-object"])
            assert.ok(at(all, step) < at(all, "st1 storage.client w2 -"), all.join("\n"));
        assert.ok(!all.some(line => /storage\.client (m1|w1)/.test(line)));
    });

    it("gets and loses nodes while the repository of its backups is away", async () => {
        const { workers } = fixture.args.infrastructure.hosts.pools;
        fixture.args.storage.backups.nightly.run = "two";
        workers.w2 = w2;
        fixture.give();
        const all = await runWithoutRepository("up");
        assert.ok(at(all, "w2 cluster.join") < at(all, "st1 storage.backup"), all.join("\n"));
        delete workers.w2;
        fixture.give();
        at(await run("up", "--exclude", "**StorageBackups**"), "w2 node.leave");
        assert.deepEqual(await run("up"), ["st1 storage.backup"]);
    });

    it("is given back only after all machines were reset, when the cluster goes", async () => {
        const all = await run("destroy");
        const resets = all.flatMap((line, i) => (line.endsWith(" host.reset") ? [i] : []));
        assert.equal(resets.length, 2, all.join("\n"));
        assert.ok(Math.max(...resets) < at(all, "st1 storage.leave"), all.join("\n"));
        assert.ok(!all.some(line => line.includes("storage.client")), "clients go with the server");
    });
});
