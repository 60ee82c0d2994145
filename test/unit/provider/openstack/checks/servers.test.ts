import assert from "node:assert/strict";
import { findProblems } from "../../../../../provider/openstack/checks";
import { gib, sampleInventory, sampleRequirements } from "../sample-cloud";
import { type Change, finds, problems, ref, server } from "./checking";

describe("the checks of servers that exist", () => {
    const rotated: Change = (n, f) => {
        for (const { name } of n.servers) f.servers!.push(server(name));
        f.images!["debian-12"] = [];
        f.flavors = f.flavors!.filter(({ name }) => name !== "m1.medium");
        f.zones = { compute: [], volume: [] };
    };
    const ofServers = (change: Change) => problems(change).filter(text => /^(image|flavor|zone)/.test(text));

    it("do not ask what the names of their image, flavor and zone mean today", () => {
        assert.deepEqual(ofServers(rotated), []);
    });

    it("warn with a template of the user's alone, whose names Heat looks up at each change of its stack", () => {
        const ours: Change = (n, f) => {
            rotated(n, f);
            n.backEnd = "heat";
        };
        assert.deepEqual(ofServers(ours), []);
        const change: Change = (n, f) => {
            ours(n, f);
            n.ownTemplate = true;
        };
        const found = ofServers(change);
        assert.deepEqual(found.map(text => text.split(" ")[0]).sort(), [
            "flavor-unknown",
            "flavor-unknown",
            "image-unknown",
        ]);
        for (const text of found)
            assert.match(text, /Servers that exist keep what they were made of, but Heat refuses/);
        const [needs, facts] = [sampleRequirements(), sampleInventory()];
        change(needs, facts);
        const ids = ["image-unknown", "flavor-unknown"];
        const severities = findProblems(needs, facts).filter(({ id }) => ids.includes(id));
        assert.ok(severities.every(({ severity }) => severity === "warning"));
    });

    it("are as strict about a server that this run replaces: it is deleted before the new one is made", () => {
        const found = ofServers((n, f) => {
            rotated(n, f);
            n.servers.at(-1)!.replaced = true;
        });
        assert.deepEqual(found.map(text => text.split(" ")[0]).sort(), [
            "flavor-unknown",
            "image-unknown",
            "zone-unknown",
        ]);
    });

    it("are as strict as ever about a server that is to be made beside them", () => {
        const found = ofServers((n, f) => {
            rotated(n, f);
            f.servers!.pop();
        });
        assert.deepEqual(found.map(text => text.split(" ")[0]).sort(), [
            "flavor-unknown",
            "image-unknown",
            "zone-unknown",
        ]);
    });
});

describe("the checks of what servers are made of", () => {
    finds([
        [
            "an unknown flavor",
            n => {
                n.servers[0]!.flavor = ref("m1.medum", "controlPlane.flavor");
            },
            /^flavor-unknown @ controlPlane.flavor: there is no flavor "m1.medum" in this project \| Did you mean "m1.medium"\?$/,
        ],
        [
            "a flavor of which there are two",
            (_, f) => {
                f.flavors!.push({ ...f.flavors![1]!, id: "4" });
            },
            /^flavor-ambiguous .* \| Give one of the ids instead: 3, 4\.$/,
        ],
        [
            "a flavor too small for a master",
            n => {
                n.servers[0]!.flavor.name = "m1.tiny";
                n.servers[0]!.image = undefined;
            },
            /^flavor-small @ controlPlane.flavor: .* 1 vCPU and 512 MiB; kubeadm asks for 2 and 1700 MiB/,
        ],
        [
            "a flavor with too small a disk for the image",
            (_, f) => {
                f.images!["debian-12"]![0]!.virtual_size = 20 * gib + 1;
            },
            /^flavor-disk-small @ controlPlane.flavor: .* disk of 20 GiB; the image "debian-12" needs 21/,
        ],
        [
            "a flavor with less memory than the image asks for",
            (_, f) => {
                f.images!["debian-12"]![0]!.min_ram = 8192;
            },
            /^flavor-memory-small @ .* 4096 MiB of memory; the image "debian-12" needs 8192/,
        ],
        [
            "a boot volume smaller than the image",
            (n, f) => {
                n.servers[0]!.bootVolume = { sizeGiB: 2, path: "bootVolume" };
                f.quota = {};
            },
            /^boot-volume-small @ bootVolume: the boot volume has 2 GiB; .* needs 3 \| Give it at least 3 GiB/,
        ],
        [
            "an unknown image",
            (n, f) => {
                n.servers[0]!.image = ref("debain-12", "image");
                f.imageNames = ["ubuntu", "debian-12"];
            },
            /^image-unknown @ image: there is no image "debain-12" .* \| Did you mean "debian-12"\?/,
        ],
        [
            "an image of which there are two",
            (_, f) => {
                f.images!["debian-12"]!.push({ ...f.images!["debian-12"]![0]!, id: "i2" });
            },
            /^image-ambiguous @ infrastructure.nova.image: 2 images .* \| .*i1, i2/,
        ],
        [
            "an image that is not ready",
            (_, f) => {
                f.images!["debian-12"]![0]!.status = "queued";
            },
            /^image-inactive .* is queued, not active/,
        ],
        [
            "an unknown zone",
            n => {
                n.servers[0]!.zone = ref("nove", "zones");
            },
            /^zone-unknown @ zones: there is no availability zone "nove" \| Did you mean "nova"/,
        ],
        [
            "an unknown zone for volumes",
            n => {
                n.servers[0]!.volumes![0]!.zone = ref("x", "zone");
            },
            /^zone-unknown @ zone: .* "x" for volumes \| There is "nova"\./,
        ],
        [
            "an unknown key pair",
            n => {
                n.keyPair = ref("mine", "keyPair");
            },
            /^key-pair-unknown @ keyPair: this user has no key pair "mine"/,
        ],
    ]);
});
