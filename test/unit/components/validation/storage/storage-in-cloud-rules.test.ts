import { deepStrictEqual, match, throws } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import type { StorageCloudArgs } from "../../../../../components/args/infrastructure-args";
import type { StorageServerArgs } from "../../../../../components/args/storage-args";
import { cloudStorageProblems } from "../../../../../components/validation/storage/storage-in-cloud-rules";
import { problems, validate } from "../../../../../components/validation/validate";

const args = (nova: StorageCloudArgs = {}, changes: Partial<StorageServerArgs> = {}): StorageServerArgs => ({
    infrastructure: { nova: { image: "debian-12", externalNetwork: "public", ...nova } },
    server: { flavor: "small" },
    volumes: { data: { sizeGiB: 5 } },
    exports: { "/exports/data": { volume: "data", clients: ["10.0.0.0/24"] } },
    ...changes,
});
const said = (...given: Parameters<typeof args>) => problems("StorageServer", args(...given));

describe("the rules of a StorageServer in a cloud", () => {
    it("allow what a cluster's may have: given network, key pair, snapshots", () => {
        deepStrictEqual(said(), []);
        deepStrictEqual(said({ network: { cidr: "10.244.0.0/24" } }), [], "there are no pods");
        const login = { keyPair: "mine", ssh: { user: "debian", agent: "env" } };
        deepStrictEqual(said({ network: { network: "shared" }, externalNetwork: undefined, ...login } as never), []);
        deepStrictEqual(said({}, { snapshots: { nightly: { volume: "data", run: "1" } } }), []);
    });

    const refused: [what: string, nova: StorageCloudArgs, changes: Partial<StorageServerArgs>, expected: RegExp][] = [
        ["no image", { image: undefined } as never, {}, /^server\.image: is required/],
        [
            "an address",
            {},
            { server: { address: "10.0.0.9" } },
            /^server\.flavor: is required with infrastructure\.nova/,
        ],
        ["neither", {}, { server: {} }, /^server: needs address, .* or flavor/],
        [
            "a disk",
            {},
            { volumes: { data: { disk: "/dev/disk/by-id/a", sizeGiB: 1 } } },
            /^volumes\.data\.disk: is for a machine/,
        ],
        ["a volume without size", {}, { volumes: { data: {} } }, /^volumes\.data\.sizeGiB: is required/],
        [
            "no way out",
            { externalNetwork: undefined } as never,
            {},
            /^infrastructure\.nova\.externalNetwork: is required/,
        ],
        [
            "a network with host bits",
            { network: { cidr: "10.0.0.1/24" } },
            {},
            /^infrastructure\.nova\.network\.cidr: 10\.0\.0\.1\/24 is an address/,
        ],
        [
            "floating IPs of nodes",
            { access: { floatingIps: "controlPlane" } },
            {},
            /^infrastructure\.nova\.access\.floatingIps: "controlPlane" is for nodes/,
        ],
        [
            "a key pair without a login",
            { keyPair: "mine" },
            {},
            /^infrastructure\.nova\.ssh\.user: is required with keyPair/,
        ],
        [
            "a snapshot of no volume",
            {},
            { snapshots: { a: { volume: "date", run: "1" } } },
            /^snapshots\.a\.volume: there is no volume "date".*data/,
        ],
    ];
    for (const [what, nova, changes, expected] of refused)
        it(`refuse ${what}`, () => match(said(nova, changes)[0] ?? "nothing", expected));

    it("refuse what only a cloud makes where the machine exists already", () => {
        const here = { infrastructure: undefined, server: { address: "10.0.0.9" } } as never;
        match(said({}, here).join("\n"), /^volumes\.data\.disk: is required: the machine exists already/m);
        const snapshots = { nightly: { volume: "data", run: "1" } };
        const typed = said({}, { ...(here as object), volumes: { data: { type: "fast" } }, snapshots }).join("\n");
        match(typed, /^volumes\.data\.type: is for a server that is made in a cloud \(server\.flavor\)$/m);
        match(typed, /^snapshots: are of volumes of a cloud \(server\.flavor\)/m);
        match(
            said({}, { infrastructure: undefined } as never).join("\n"),
            /^server\.flavor: is for a server that is made in a cloud, and infrastructure\.nova is missing: give that, or address/,
        );
    });

    it("say what is wrong with inputs of a wrong type, and with clients that the cloud cannot let in", () => {
        const exportTo = (clients: unknown) =>
            args({}, { exports: { "/exports/data": { volume: "data", clients } } as never });
        const wrong: [wrong: unknown, expected: RegExp][] = [
            [exportTo("10.0.0.1"), /^ +exports\.\/exports\/data\.clients: must be of type array/m],
            [exportTo(null), /^ +exports\.\/exports\/data\.clients: must be of type array/m],
            [exportTo(pulumi.output(["10.0.0.1"])), /^ +exports\.\/exports\/data\.clients: must be plain text/m],
            [exportTo(["fe80::1%eth0"]), /^ +exports\.\/exports\/data\.clients: "fe80::1%eth0" has a zone/m],
            [
                args({}, { exports: { "/exports/data": null } as never }),
                /^ +exports\.\/exports\/data: must be of type object/m,
            ],
            [
                args({}, { server: pulumi.output({}) as never }),
                /INVALID_INPUT\n +server: must be known when the program runs\n/,
            ],
            [
                args({}, { volumes: pulumi.output({}) as never }),
                /INVALID_INPUT\n +volumes: must be known when the program runs\n/,
            ],
            [args({}, { exports: pulumi.output({}) as never }), /^ +exports: must be known when the program runs/m],
            [
                args({}, { infrastructure: pulumi.output({}) as never }),
                /^ +infrastructure: must be known when the program runs/m,
            ],
            [
                args({}, { infrastructure: { nova: pulumi.output({}) } as never }),
                /^ +infrastructure\.nova: must be known/m,
            ],
        ];
        for (const [given, expected] of wrong)
            throws(() => validate("StorageServer", "files", given, cloudStorageProblems("files", given as never)), {
                name: "NfvError",
                message: expected,
            });
    });

    it("refuse names that servers cannot have, and clients that are known too late", () => {
        deepStrictEqual(cloudStorageProblems("files", args()), []);
        match(
            problems("StorageServer", args({}, { serverName: "Files" })).join(),
            /^serverName: must be a DNS label of at most 50 characters .*; got "Files"$/,
        );
        throws(() => validate("StorageServer", "Files 1", args()), /^ +serverName: must be .*; got "Files 1"$/m);
        match(cloudStorageProblems("f".repeat(42), args()).join(), /at most 41 characters/);
        const late = { "/exports/data": { volume: "data", clients: [pulumi.output("10.0.0.1")] } };
        match(
            cloudStorageProblems("files", args({}, { exports: late })).join(),
            /^exports\.\/exports\/data\.clients: must be plain text/,
        );
        deepStrictEqual(
            cloudStorageProblems("Files", { ...args({}, { exports: late }), infrastructure: undefined } as never),
            [],
        );
    });
});
