import { match, notStrictEqual, strictEqual } from "node:assert/strict";
import { KubernetesCluster } from "../../../../components";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { record, registered } from "../recorder";
import { clusterArgs } from "../sample-args";

const content = async (changes: Partial<KubernetesClusterArgs> = {}, kind: "preview" | "up" = "preview") => {
    const program = () => {
        new KubernetesCluster("core", clusterArgs(1, { a: 1 }, changes));
    };
    const { resources } = await record(kind, program);
    const { spec } = registered(resources, "OperationStart core").inputs as { spec: { firstContent?: string } };
    return spec.firstContent;
};
const labelled = (site: string) => ({ controlPlane: { labels: { site } } }) as Partial<KubernetesClusterArgs>;
const login = (password: string) =>
    ({
        registries: { "docker.io": { endpoints: ["https://registry.site"], username: "nfv", password } },
    }) as Partial<KubernetesClusterArgs>;

describe("the hash of the first plan of a cluster", () => {
    it("covers what the program says, so that another content is another plan", async () => {
        match(String(await content()), /^[0-9a-f]{24}$/);
        strictEqual(await content(labelled("a")), await content(labelled("a")));
        notStrictEqual(await content(labelled("a")), await content(labelled("b")));
    });

    it("has no secret in it, which could be guessed", async () => {
        notStrictEqual(await content(login("one")), await content());
        strictEqual(await content(login("one")), await content(login("two")));
    });

    it("is of a preview alone: the resource has no such input", async () => {
        strictEqual(await content({}, "up"), undefined);
    });
});
