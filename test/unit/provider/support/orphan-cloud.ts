import assert from "node:assert/strict";
import type { NfvError } from "../../../../provider/common/errors";
import { markWord, type Owner, ownerTags } from "../../../../provider/openstack/requirements";
import type { Call, FakeCloud } from "../openstack/fake-cloud";
import { cloudOfEnvironment } from "./cloud";

export const mark: Owner = { "pulumi-nfv.cluster": "core", "pulumi-nfv.stack": "shop/dev", "pulumi-nfv.owner": "abc" };
export const owner = { cloud: {}, project: "p1", mark };
/** The same, as who may look at the servers. */
export const serversOwner = {
    ...owner,
    clusterId: "core-1",
    ssh: { user: "nfv", privateKey: "key" },
    bootTimeoutSeconds: 0,
};
export const place = { name: "vnf-part", parent: "urn:core" };
export const descriptionOf = (whose: Owner, key = "workers-1") => `core: ${key} (${markWord(whose)})`;
/** The marks that a run leaves if it got as far as the tags. */
const { "pulumi-nfv.owner": _, ...inTags } = mark;
export const tags = ownerTags(inTags);
/** Marks of another cluster, program or state. */
export const others: Owner[] = Object.keys(mark).map(key => ({ ...mark, [key]: "other" }));

/** A cloud for each test of a file, and the requests to it besides the login. */
export function orphanCloud() {
    let cloud: FakeCloud;
    let leave: () => Promise<void>;
    beforeEach(async () => ({ cloud, leave } = await cloudOfEnvironment()));
    afterEach(() => leave());
    const calls = (): Call[] => cloud.calls.filter(({ path }) => !path.startsWith("/identity"));
    const changed = () => calls().flatMap(({ method, path }) => (method === "GET" ? [] : [`${method} ${path}`]));
    return {
        cloud: () => cloud,
        calls,
        changed,
        /** The error of an attempt that must change nothing. */
        refusal: async (attempt: Promise<void>): Promise<string> => {
            const { code, message } = await attempt.then(
                () => assert.fail("it should have failed"),
                failure => failure as NfvError,
            );
            assert.equal(code, "NOT_OURS");
            assert.deepEqual(changed(), []);
            return message;
        },
    };
}
