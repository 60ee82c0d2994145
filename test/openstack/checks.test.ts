import { strict as assert } from "node:assert";
import type { KubernetesClusterArgs } from "../../components/args/args";
import type { NovaArgs } from "../../components/args/infrastructure-args";
import { checks } from "../../provider/openstack/checks";
import type { BackEnd } from "../../provider/openstack/requirements";
import { type CloudFixture, footprint, openCloudFixture } from "./cloud-fixture";
import { makeObstacles, type Obstacles } from "./obstacles";

/** A cluster with many errors at once, and everything that the preview must report. */
interface Row {
    title: string;
    backEnds: BackEnd[];
    /** `up` with this back end must fail, too, and leave nothing. */
    up?: BackEnd;
    cloud: NovaArgs;
    others?: Partial<KubernetesClusterArgs>;
    /** Check → how its lines begin. `@` stands for the place of the back end in the arguments. */
    says: Record<string, string[]>;
    /** Lines that only this back end has. */
    saysOnly?: Partial<Record<BackEnd, Record<string, string[]>>>;
    warns?: Record<string, string[]>;
    /** A temporary change by the cloud's operator. */
    provoke?: (obstacles: Obstacles) => Promise<() => Promise<unknown>>;
}

const cluster: Omit<KubernetesClusterArgs, "infrastructure"> = {
    kubernetes: { version: "1.36.3" },
    controlPlane: { count: 1 },
    pools: { workers: { count: 2 } },
};

const rows: Row[] = [
    {
        title: "words that this cloud does not know",
        backEnds: ["heat", "nova"],
        up: "heat",
        cloud: {
            ...{ image: "debian-13", flavor: "m1.medum", externalNetwork: "outside", network: { network: "nowhere" } },
            ...{ keyPair: "nobody", ssh: { user: "debian", agent: "env" } },
            server: {
                availabilityZones: ["mars"],
                securityGroups: ["strangers"],
                volumes: { data: { sizeGiB: 1, type: "gold" } },
                networks: [{ network: "obstacle-twin" }],
            },
        },
        others: {
            storage: {
                server: { flavor: "m1.small" },
                volumes: {
                    mine: { volumeId: "3f0a1e52-7c1b-4a55-9a0e-2d6a3c9b1f00" },
                    former: { sizeGiB: 1, snapshotId: "5b7c9d10-2e3f-4a41-8b52-6c7d8e9f0a1b" },
                },
                exports: { "/exports/mine": { volume: "mine" }, "/exports/former": { volume: "former" } },
            },
        },
        says: {
            flavorsExist: ['@.flavor: there is no flavor "m1.medum" in this project. Did you mean "m1.medium"'],
            imagesExist: ['@.image: there is no image "debian-13" in this project. Did you mean "debian-12"'],
            zonesExist: ['@.server.availabilityZones: there is no availability zone "mars". There is "nova".'],
            keyPairExists: [
                '@.keyPair: this user has no key pair "nobody" (key pairs belong to users, not to projects)',
            ],
            networksExist: [
                '@.network.network: there is no network "nowhere" in this project',
                '@.server.networks.0.network: 2 networks are called "obstacle-twin". Give one of the ids instead: ',
            ],
            securityGroupsExist: ['@.server.securityGroups.0: there is no security group "strangers" in this project'],
            externalNetworksFit: [
                '@.externalNetwork: there is no external network "outside" in this project. Did you mean "obstacle-outside"',
            ],
            volumeTypesExist: ['@.server.volumes.data.type: there is no volume type "gold". There is "'],
            givenVolumesFit: ["storage.volumes.mine.volumeId: there is no volume 3f0a1e52-7c1b-4a55-9a0e-2d6a3c9b1f00"],
            snapshotsFit: [
                "storage.volumes.former.snapshotId: there is no snapshot 5b7c9d10-2e3f-4a41-8b52-6c7d8e9f0a1b",
            ],
        },
    },
    {
        title: "things that are there and do not suffice",
        backEnds: ["nova", "heat"],
        cloud: {
            ...{ image: "obstacle-image", flavor: "m1.small", externalNetwork: "public" },
            network: { network: "obstacle-lone" },
            server: {
                volumes: { data: { sizeGiB: 20 } },
                networks: [
                    { network: "obstacle-empty" },
                    { network: "obstacle-off" },
                    { network: "obstacle-lone", subnet: "public" },
                ],
            },
        },
        others: {
            controlPlane: { count: 1, endpoint: { vip: { address: "10.77.0.11" } } },
            pools: { workers: { count: 2, server: { bootVolume: { sizeGiB: 1 } } } },
            network: { podCidr: "10.77.128.0/17" },
        },
        provoke: ({ shrinkQuota }) => shrinkQuota({ serversLeft: 2, volumeGiB: 10 }),
        says: {
            imagesExist: ['@.image: the image "obstacle-image" is deactivated, not active'],
            imagesFit: [
                '@.flavor: the flavor "m1.small" has a disk of 5 GiB; the image "obstacle-image" needs 12',
                '@.flavor: the flavor "m1.small" has 1024 MiB of memory; the image "obstacle-image" needs 3000',
                'pools.workers.server.bootVolume: the boot volume has 1 GiB; the image "obstacle-image" needs 12',
            ],
            networksAreUsable: [
                '@.server.networks.0.network: the network "obstacle-empty" has no subnet',
                '@.server.networks.1.network: the network "obstacle-off" is switched off (admin state down)',
                '@.server.networks.2.subnet: the subnet "public" is not in the network "obstacle-lone"',
            ],
            addressesAreFree: [
                "controlPlane.endpoint.vip.address: the address 10.77.0.11 is taken by the port obstacle-port",
            ],
            addressesSuffice: [
                '@.network.network: 4 more addresses are needed in "obstacle-lone" of the network "obstacle-lone", 3 are free',
            ],
            floatingIpsHaveRoute: [
                '@.network.network: the network "obstacle-lone" has no router: a floating IP of "public" could not reach',
            ],
            cidrsAreApart: [
                `network.podCidr: the pods' network 10.77.128.0/17 overlaps with the subnet "obstacle-lone" (10.77.0.0/16)`,
            ],
            volumesAreNotTooLarge: [
                "@.server.volumes.data: a volume of 20 GiB is wanted; the quota allows 10 GiB each",
            ],
            quotaSuffices: ["@: quota of servers: 3 more needed, "],
        },
        warns: {
            flavorsAreEnough: ['@.flavor: the flavor "m1.small" has 1 vCPU and 1024 MiB; kubeadm asks for 2 and'],
        },
    },
    {
        title: "what others have already",
        backEnds: ["heat", "nova"],
        up: "nova",
        cloud: {
            ...{ image: "debian-12", flavor: "m1.medium", externalNetwork: "obstacle-outside" },
            network: { router: "obstacle-router" },
        },
        others: { clusterName: "taken" },
        says: {
            routersFit: ['@.network.router: the router "obstacle-router" has no gateway to an external network'],
            subnetsFitRouters: [
                '@.network.cidr: 10.100.0.0/24 overlaps with the subnet "obstacle-joined" (10.100.0.0/20) on the same router',
            ],
            floatingIpsAreFree: [
                '@.externalNetwork: 4 more floating IPs are needed, the external network "obstacle-outside" has 2 left',
            ],
            serverNamesAreFree: [`name: a server "taken-workers-1" exists already and is not this cluster's`],
        },
        saysOnly: {
            heat: {
                keyPairNamesAreFree: ['name: a key pair "taken-heat" exists already'],
                stackNameIsFree: [`@.stackName: a stack "taken" exists already and is not this cluster's`],
            },
            nova: { keyPairNamesAreFree: ['name: a key pair "taken" exists already'] },
        },
    },
    {
        title: "a cloud without Heat, a network that is not external, an address of elsewhere",
        backEnds: ["heat"],
        cloud: {
            ...{ image: "debian-12", flavor: "m1.medium", externalNetwork: "obstacle-lone" },
            network: { network: "obstacle-lone" },
            access: { floatingIps: "none", apiFloatingIp: false },
        },
        others: { controlPlane: { count: 1, endpoint: { vip: { address: "10.99.0.9" } } }, pools: {} },
        provoke: ({ withoutHeat }) => withoutHeat(),
        says: {
            servicesExist: ["@: the cloud has no orchestration service, which is needed for infrastructure.heat. Use"],
            externalNetworksFit: [
                '@.externalNetwork: the network "obstacle-lone" is not external. External ones are "',
            ],
            addressesAreFree: ["controlPlane.endpoint.vip.address: the address 10.99.0.9 is not in 10.77.0.0/16"],
        },
    },
];

/** Checks that cannot fail on this cloud; unit tests cover them. */
const unprovoked = [
    // The lab's Nova is newer than every policy requires.
    "versionsFit",
    // The arguments cannot name a port yet.
    "portsExist",
    // The arguments alone show it, so the program is refused before any call to the cloud.
    "floatingIpHasPool",
    // It would need two external networks of one name.
    "floatingPoolHasItsOwnName",
    // They would need a cluster that another user of the project has made.
    "keyPairIsThisUsers",
    "credentialIsThisUsers",
    // It would need a storage server of the other back end.
    "storageStays",
];

describe("the checks before anything is made", function () {
    this.timeout("15m");
    let fixture: CloudFixture;
    let obstacles: Obstacles;
    let untouched: Record<string, string[]>;

    before(async () => {
        fixture = await openCloudFixture("program", "checks", { programs: "test/openstack" });
        obstacles = await makeObstacles(fixture);
        untouched = await footprint(fixture);
    });

    after(async () => {
        await obstacles?.clear();
        await fixture?.close();
    });

    const run = (command: string[], { cloud, others }: Row, backEnd: BackEnd) => {
        const args = { clusterName: "checks", ...cluster, ...others, infrastructure: { [backEnd]: cloud } };
        const config = ["--config", `cluster-on-cloud:cluster=${JSON.stringify(args)}`];
        return fixture.project.start([...command, ...config, "--non-interactive"]).done;
    };

    for (const row of rows) {
        describe(row.title, () => {
            let undo: (() => Promise<unknown>) | undefined;
            before(async () => {
                undo = await row.provoke?.(obstacles);
            });
            after(() => undo?.());

            for (const backEnd of row.backEnds) {
                const all = { ...row.says, ...row.saysOnly?.[backEnd] };
                const commands = [["preview"], ...(row.up === backEnd ? [["up", "--yes", "--skip-preview"]] : [])];
                const names = commands.map(([name]) => name).join(" and ");
                it(`fail the ${names} of a cluster by ${backEnd} with one list: ${Object.keys(all).join(", ")}`, async () => {
                    for (const command of commands) {
                        const { code, output } = await run(command, row, backEnd);
                        assert.notEqual(code, 0, output);
                        compare(problemsIn(output), all, backEnd, output);
                        compare(warningsIn(output), row.warns ?? {}, backEnd, output);
                    }
                });
            }
        });
    }

    it("are all in this list, but for those that nothing here can provoke", () => {
        const provoked = rows.flatMap(({ says, saysOnly, warns }) => [says, saysOnly?.heat, saysOnly?.nova, warns]);
        const names = new Set(provoked.flatMap(each => Object.keys(each ?? {})));
        assert.deepEqual([...names, ...unprovoked].sort(), checks.map(check => check.name).sort());
    });

    it("have let nothing be made, in the cloud and in the state", async () => {
        assert.deepEqual(await footprint(fixture), untouched);
        const { resources = [] } = JSON.parse(await fixture.project.exportStack()).deployment;
        const made = resources.filter(({ custom }: { custom: boolean }) => custom);
        assert.deepEqual(made, []);
    });
});

/** Compares both ways: each line is expected, and each expected line is there. */
function compare(lines: string[], expected: Record<string, string[]>, backEnd: BackEnd, output: string): void {
    const starts = Object.values(expected)
        .flat()
        .map(text => text.replace("@", `infrastructure.${backEnd}`));
    const found = lines.map(line => starts.find(start => line.startsWith(start)) ?? `not expected: ${line}`);
    assert.deepEqual(found.sort(), starts.sort(), output);
}

/** The lines of the error, without the first line and the advice at the end. */
function problemsIn(output: string): string[] {
    const [, list = ""] = /^Diagnostics:$.*?CLOUD_CHECK_FAILED\n(.*?)\n *Correct the inputs/ms.exec(output) ?? [];
    return list.split("\n").map(line => line.trim());
}

/** Only warnings that begin with a place in the arguments: plugins have warnings of their own. */
function warningsIn(output: string): string[] {
    const [, diagnostics = ""] = output.split(/^Diagnostics:$/m);
    return [...diagnostics.matchAll(/^ *warning: ([\w.]+: .*)$/gm)].map(([, text]) => text!);
}
