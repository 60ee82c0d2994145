import { strict as assert } from "node:assert";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { projectRoot } from "../../dev/levels";
import { asStory } from "../support/story";
import { type CloudFixture, openCloudFixture } from "./cloud-fixture";

interface Listed {
    id: string;
    name: string;
    description: string;
    roles: string;
}

/** Real Keystone: the application credential with which Cluster API logs in. */
describe("an application credential for Cluster API", function () {
    this.timeout("15m");
    asStory(this);
    let fixture: CloudFixture;
    let file: string;
    let others: string[];

    const give = (identity: object) => fixture.project.setConfig({ identity: JSON.stringify(identity), file });
    const list = async () =>
        (await fixture.cloud.json<Record<string, unknown>[]>(["application", "credential", "list"] as const))
            .map(each => Object.fromEntries(Object.entries(each).map(([key, value]) => [key.toLowerCase(), value])))
            .map(each => each as unknown as Listed)
            .filter(({ id }) => !others.includes(id));
    const rules = async () =>
        (await fixture.cloud.json<{ Path: string }[]>(["access", "rule", "list"])).map(each => each.Path).sort();
    const request = async (of: string, service: string, place: string) => {
        const script = path.join(projectRoot, "test/openstack/login-program/request.js");
        return JSON.parse(await fixture.outside(process.execPath, script, of, service, place));
    };
    const statuses = () => JSON.parse(fs.readFileSync(`${file}.statuses`, "utf8"));

    before(async () => {
        fixture = await openCloudFixture("login-program", "e2e-login", { login: "lab-2", programs: "test/openstack" });
        file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "nfv-login-")), "clouds.yaml");
        others = [];
        others = (await list()).map(({ id }) => id);
    });
    after(async () => {
        await fixture?.project.destroy().catch(() => {});
        await fixture?.close();
        if (file) fs.rmSync(path.dirname(file), { recursive: true, force: true });
    });

    it("is made with the role of a member, and logs in at the address of the catalogue", async () => {
        await give({ applicationCredential: {} });
        await fixture.project.up();
        assert.equal((await list()).length, 1);
        assert.deepEqual(statuses(), [201, 201]);
        const { login, call, roles } = await request(file, "network", "/v2.0/networks");
        assert.deepEqual([login, call, roles], [201, 200, ["member"]]);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("is a secret in the state", async () => {
        const [, secret] = /application_credential_secret: "?(\S+?)"?$/m.exec(fs.readFileSync(file, "utf8"))!;
        assert.equal((await fixture.project.exportStack()).includes(secret!), false);
    });

    it("is followed by the next one without a gap: both work while the Secret changes, then only the new one", async () => {
        const former = `${file}.former`;
        fs.copyFileSync(file, former);
        const [{ id }] = (await list()) as [Listed];
        await give({ applicationCredential: { rotate: "2026-11" } });
        await fixture.project.up();
        assert.deepEqual(statuses(), [201, 201]);
        const [next, ...more] = await list();
        assert.deepEqual(more, []);
        assert.notEqual(next!.id, id);
        assert.notEqual((await request(former, "network", "/v2.0/networks")).login, 201);
        assert.equal((await request(file, "network", "/v2.0/networks")).login, 201);
        await fixture.project.up({ expectNoChanges: true });
    });

    it("has its access rules at Keystone, also after the next rotation, is refused other requests, and leaves no rule", async () => {
        const accessRules = [{ service: "compute", method: "GET", path: "/v2.1/flavors" }];
        const former = await rules();
        for (const rotate of ["a", "b"]) {
            await give({ applicationCredential: { accessRules, rotate } });
            await fixture.project.up();
            assert.deepEqual(statuses(), [201, 201]);
            assert.equal((await request(file, "network", "/v2.0/networks")).call, 401);
            assert.deepEqual(await rules(), [...former, "/v2.1/flavors"].sort());
        }
        // Depends on the cloud: a service without service_type refuses what a rule allows, too.
        console.log(`      GET /flavors of Nova: ${(await request(file, "compute", "/flavors")).call}`);
        await fixture.project.up({ expectNoChanges: true });
        await fixture.project.destroy();
        assert.deepEqual(await list(), []);
        assert.deepEqual(await rules(), former);
    });
});
