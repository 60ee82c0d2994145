import { deepStrictEqual } from "node:assert/strict";
import type { KubernetesClusterArgs } from "../../../../components/args/args";
import { metadataService } from "../../../../components/infrastructure/metadata-service";

describe("the metadata service", () => {
    const of = (kind: "hosts" | "heat" | "nova", podsReachMetadata?: boolean) =>
        metadataService({
            infrastructure: { [kind]: {} } as KubernetesClusterArgs["infrastructure"],
            network: podsReachMetadata === undefined ? {} : { podsReachMetadata },
        }).metadataService;

    it("is closed to pods on clouds, unless the program opens it; machines of the user stay as they are", () => {
        deepStrictEqual([of("nova"), of("heat"), of("hosts")], ["closed", "closed", undefined]);
        deepStrictEqual([of("nova", true), of("hosts", true), of("hosts", false)], ["open", "open", "closed"]);
    });
});
