import { strict as assert } from "node:assert";
import { X509Certificate } from "node:crypto";
import { authoritiesStateArgv } from "../../../provider/procedures/authorities/authority-acts";
import { skipIf } from "../../support/skip";
import { asStory } from "../../support/story";
import { notBuilt } from "../../support/user-project";
import { type Fixture, openFixture } from "./fleet-fixture";

/** Real engine and dynamic resources, simulated machines: what users of a cluster get while its nodes keep the authorities with which it was made. */
describe("the rotation of authorities by Pulumi's engine", function () {
    asStory(this);
    let fixture: Fixture;
    let first: string;

    const give = (authorities?: string) => {
        fixture.args.rotate = authorities === undefined ? undefined : { authorities };
        fixture.give();
    };
    const up = () => fixture.project.pulumi.up();
    const resource = async (type: string) => {
        const text = await fixture.project.pulumi.run(["stack", "export", "--show-secrets"]);
        return JSON.parse(text).deployment.resources.find((each: { type: string }) => each.type.endsWith(`:${type}`));
    };
    const namesIn = (pem: string) =>
        pem
            .split(/(?<=-----END CERTIFICATE-----)\s*/)
            .filter(Boolean)
            .map(each => new X509Certificate(each).subject);
    /** Whom the cluster's Vim trusts. */
    const trusted = async () => namesIn((await resource("VimRegistration")).inputs.caCertificate);
    const current = async () => namesIn((await resource("ClusterKeys")).outputs.certificates.current.caCertificate)[0]!;

    before(async function () {
        skipIf(this, notBuilt());
        fixture = await openFixture(1, 0, () => 0);
        const node = fixture.cluster.fleet.node("m1");
        node.on(authoritiesStateArgv, () => ({
            stdout: `member=${node.agent.belongsTo?.cluster ?? ""}\nready=yes\nours=yes\nkeys=old\netcd=yes\nmembers=m1\n`,
        }));
        give("of the beginning".replaceAll(" ", "-"));
        await up();
        first = await current();
    });
    after(() => fixture?.close());

    it("leaves the former authority beside the new one within the grace, also where a word before has ended", async () => {
        give("one");
        await up();
        const next = await current();
        assert.notEqual(next, first);
        assert.deepEqual(await trusted(), [next, first]);
        await fixture.project.pulumi.up({ expectNoChanges: true });
    });

    it("makes no other authorities before the nodes have the last ones, also where the word was taken away meanwhile", async () => {
        const made = await current();
        const refuses = async () => {
            give("two");
            for (const run of [() => fixture.project.pulumi.preview(), up])
                await assert.rejects(run(), /"two" comes before the rotation of "one" has ended on the nodes/);
            assert.equal(await current(), made);
        };
        await refuses();
        give();
        await up();
        assert.deepEqual(await trusted(), [made, first]);
        await refuses();
        give("one");
        await up();
        assert.deepEqual([await current(), await trusted()], [made, [made, first]]);
    });
});
