import assert from "node:assert/strict";
import type { HostSpec } from "../../../../provider/common/model";
import { keptSpec, specOf } from "../../../../provider/host/host-state";
import { hostSteps } from "../../../../provider/host/host-steps";
import { writtenFiles, writtenText } from "../../../../provider/host/written-files";
import { plan } from "../../../../provider/steps";
import { bundleFiles, hostSpec, vipEndpoint } from "../sample-specs";

const specs: Record<string, Partial<HostSpec>> = {
    "a control-plane node of a bundle": {},
    "a control-plane node behind an external endpoint": { endpoint: { host: "api.site", port: 6443 } },
    "a worker of a bundle": { role: "worker", name: "w1", address: "10.0.0.21", vrrpPriority: undefined },
    "a host of an image with everything": {
        source: { image: {} },
        endpoint: vipEndpoint,
        proxy: { httpProxy: "http://proxy:3128", noProxy: [".site"] },
        registries: [{ registry: "*", endpoints: ["https://mirror"], username: "u", password: "p" }],
        trustedCertificates: ["PEM"],
        sysctls: { "vm.swappiness": "1" },
        sandboxImage: "registry.site/pause:3",
    },
    "a host by apt": { source: { apt: { repository: "https://apt.site", key: "KEY" } } },
    "a host by dnf": { source: { dnf: { repository: "https://dnf.site" } } },
};

describe("what is stored of a host's spec", () => {
    for (const [what, changes] of Object.entries(specs)) {
        const spec = hostSpec(changes);
        const again = specOf(JSON.parse(JSON.stringify(keptSpec(spec))));

        it(`leads to the same replaced files, so that a reset recognises them: ${what}`, () => {
            assert.equal(writtenText(writtenFiles(again)), writtenText(writtenFiles(spec)));
        });

        it(`leads to the same steps but those of a bundle's files: ${what}`, () => {
            const ids = (each: HostSpec) => plan(hostSteps, each, "key").map(({ id }) => id);
            const ofBundle = ["host.kubernetes-binaries", "host.images"];
            assert.deepEqual(
                ids(again),
                ids(spec).filter(id => !ofBundle.includes(id)),
            );
        });

        it(`is at most 800 characters: ${what}`, () => {
            assert.ok(JSON.stringify(keptSpec(spec)).length < 800);
        });
    }

    it("has no file of a bundle", () => {
        const kept = JSON.stringify(keptSpec(hostSpec({ source: { bundle: { path: "/b", files: bundleFiles } } })));
        assert.doesNotMatch(kept, /kubelet|sha256:?"|\/b"/);
    });
});
