import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import { run } from "../../../lab/process";
import { readAll } from "../cluster-attacks";
import { filesBelow, secretsOf } from "../cluster-secrets";
import type { Life } from "./life";

export function keepsSecrets(life: Life): void {
    let secrets: Record<string, string>;

    it("has kept secrets out of state, events, journals and process lists", async () => {
        const { lab, project } = life.fixture;
        secrets = await secretsOf(life.fixture);
        assert.ok(Object.keys(secrets).length >= 8, "the scan knows the secrets it looks for");
        const places: Record<string, string> = {
            "exported stack": await project.exportStack(),
            "process lists": life.processLists.text,
            events: life.events,
        };
        for (const file of filesBelow(project.stateFolder)) places[file] = fs.readFileSync(file, "utf8");
        assert.match(life.events, /"severity":"debug"/, "the SDK's debug messages are looked at, too");
        assert.doesNotMatch(life.events, /PRIVATE KEY/);
        // A machine that has booted has nothing of ours in /run until its next step, and w2 may have left.
        const folders = "/var/lib/pulumi-nfv /run/pulumi-nfv";
        const notes = `for each in ${folders}; do [ ! -d $each ] || find $each -type f -exec cat {} +; done`;
        for (const node of life.nodes)
            places[`journal of ${node}`] = await lab.mustSsh(node, `journalctl --no-pager -o cat; ${notes}`);
        assert.ok(life.processLists.count > 20, "process lists were sampled");
        for (const [place, text] of Object.entries(places))
            for (const [name, value] of Object.entries(secrets))
                assert.ok(!text.includes(value), `${name} is in the ${place}`);
    });

    it("gives no user of a node a secret to read: in files, units, environments, process lists", async () => {
        const patterns = Object.values(secrets).join("\n");
        for (const node of ["m1", "w1"]) {
            const argv = [...life.fixture.lab.sshArgv(node, "root"), `runuser -u nobody -- sh -c '${readAll}'`];
            const { stdout } = await run(argv, { stdin: `${patterns}\ncanary-for-all\n` });
            assert.equal(stdout, "/run/lock/canary\nunit canary-for-all\n", `readable on ${node}`);
        }
    });
}
