import { deepStrictEqual, match, ok, rejects, strictEqual, throws } from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { KubernetesCluster, PersistentVolumes, StorageClasses, StorageServer, Vim } from "../../../../components";
import type { StorageCloudArgs } from "../../../../components/args/infrastructure-args";
import { promiseOf } from "../../../../provider/adapters/later";
import { unpack } from "../../../../provider/contract/packed";
import { isSecret, type Registered, record, registered } from "../recorder";
import { clusterArgs, sampleCertificate, sampleKey } from "../sample-args";

const args = () => ({
    server: { address: "10.0.0.31", ssh: { user: "ops", privateKey: sampleKey } },
    volumes: { data: { disk: "/dev/disk/by-id/virtio-data" } },
    exports: { "/exports/data": { volume: "data", clients: ["10.0.0.0/24"] } },
});
const vim = () =>
    new Vim("site", {
        endpoint: "https://10.0.0.1:6443",
        caCertificate: sampleCertificate,
        auth: { bearerToken: "canary-token" },
    });

const savedTo = () => ({ nightly: { repository: { folder: "/mnt/backup" }, password: "p" } });

describe("a StorageServer", () => {
    it("is one resource with its steps, which preview shows before it has an id", async () => {
        for (const mode of ["preview", "up"] as const) {
            const { resources } = await record(mode, () => new StorageServer("store", args()));
            const { inputs, raw } = registered(resources, "StorageMachine store");
            const spec = mode === "up" ? unpack(inputs, ["access", "connection", "fingerprintKey"]) : inputs;
            const steps = (spec["steps"] ?? (inputs["spec"] as { steps?: object }).steps) as object;
            ok("prepare the volumes" in steps, JSON.stringify(inputs));
            ok("serve the exports" in steps);
            ok(mode === "preview" || isSecret(raw["secrets"]), "the login is secret");
            ok(!JSON.stringify({ ...raw, secrets: "" }).includes("canary-private-key") || mode === "preview");
        }
    });

    it("tells where it serves what", async () => {
        const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5mNWtYmRzIrcfcUYRQbHqJwHvuqPHcvXDbEtzzmXeN";
        const outputs = (type: string) => (type.endsWith(":StorageMachine") ? { hostKey: key } : {});
        const { result } = await record("up", () => new StorageServer("store", args()), { outputs });
        strictEqual(await promiseOf(result.address), "10.0.0.31");
        deepStrictEqual(await promiseOf(result.exports), ["/exports/data"]);
        match((await promiseOf(result.fingerprint))!, /^SHA256:/);
        match((await promiseOf(result.owner))!, /^core-/);
    });

    const inCloud =
        (nova: Partial<StorageCloudArgs> = {}, changes: object = {}, name = "files") =>
        () =>
            new StorageServer(name, {
                infrastructure: { nova: { image: "debian-12", externalNetwork: "public", ...nova } },
                server: { flavor: "small" },
                volumes: { data: { sizeGiB: 5 } },
                exports: { "/exports/data": { volume: "data", clients: ["10.0.0.0/24"] } },
                ...changes,
            });
    const outputs = (type: string) => ({
        ...(type.endsWith(":ServerKeys") && { seed: "c2VlZA==", publicKey: "ssh-ed25519 AAAA", privateKey: "key" }),
        ...(type.endsWith(":CloudCheck") && { project: "project-1", region: "RegionOne", names: {} }),
        ...(type.endsWith(":Port") && { allFixedIps: ["10.0.0.5"] }),
        ...(type.endsWith(":FloatingIp") && { address: "203.0.113.7" }),
    });
    const call = () => ({ id: "id", name: "public", cidr: "192.168.0.0/20" });

    it("is made in a cloud with its network and its volumes, which stay; the machine's steps come after all of them", async () => {
        for (const mode of ["preview", "up"] as const) {
            const { resources } = await record(mode, inCloud(), { outputs, call });
            const labels = resources.map(({ label }) => label);
            for (const expected of [
                "Instance files-storage",
                "Volume files-storage-data",
                "SecGroup files",
                "Network files",
            ])
                ok(labels.includes(expected), `${expected} in ${labels.join(", ")}`);
            strictEqual(labels.filter(label => label.startsWith("Instance ")).length, 1);
            strictEqual(registered(resources, "SecGroup files").inputs["description"], "The storage server files");
            ok(
                registered(resources, "ProjectGuard files-network").after.includes("StorageMachine files"),
                "a destroy that is refused leaves the exports served",
            );
            const { inputs } = registered(resources, "StorageMachine files");
            const spec = mode === "up" ? unpack(inputs, ["access", "connection", "fingerprintKey"]) : inputs;
            ok("serve the exports" in ((spec["steps"] ?? (inputs["spec"] as { steps?: object }).steps) as object));
        }
    });

    it("in a cloud keeps its security rules and jump server until it is given back: clients stay connected when a destroy is refused", async () => {
        const jumpServer = { flavor: "tiny" };
        for (const access of [{}, { jumpServer }]) {
            const { resources } = await record("up", inCloud({ access }), { outputs, call });
            const { after } = registered(resources, "StorageMachine files");
            const way = resources.filter(
                ({ label }) => label.startsWith("SecGroupRule ") || label === "Instance files-jump",
            );
            ok(way.length >= 4);
            for (const { label } of way) ok(after.includes(label), label);
        }
    });

    it("in a cloud with a key pair of the user expects no host key of ours", async () => {
        const ssh = { user: "debian", privateKey: sampleKey };
        for (const [nova, expected] of [
            [{ keyPair: "mine", ssh }, false],
            [{}, true],
        ] as const) {
            const { resources } = await record("up", inCloud(nova), { outputs, call });
            const { inputs } = registered(resources, "OperationStart files");
            const { seed } = unpack(inputs, ["ssh", "seed"]) as { seed?: string };
            strictEqual(seed !== undefined, expected);
        }
    });

    it("in a cloud refuses what the cloud cannot do before anything is registered", () => {
        const infrastructure = { nova: { image: "debian-12" } };
        throws(() => new StorageServer("files", { ...args(), infrastructure }), /server\.flavor: is required/);
    });

    const clusterInCloud = (name: string, nova: object = {}) =>
        new KubernetesCluster(name, {
            infrastructure: { nova: { image: "debian-12", flavor: "small", externalNetwork: "public", ...nova } },
            kubernetes: { version: "1.34.4", source: { image: {} } },
            controlPlane: { count: 1 },
        });
    const pairOf = (cluster: () => unknown, server: () => unknown) =>
        record(
            "preview",
            () => {
                cluster();
                server();
            },
            { outputs, call },
        );

    it("is meant by its address where PersistentVolumes get the server itself; their other mistakes are named, too", async () => {
        const said = async (given: object) => {
            let message = "";
            const program = () => new PersistentVolumes("shared", { vim: vim(), ...given } as never);
            await rejects(record("up", program), (error: Error) => {
                message = error.message;
                return true;
            });
            return message;
        };
        const volumes = { data: { path: "/exports/data", capacityGiB: 1 } };
        const server = () => new StorageServer("store", args());
        let itself = "";
        await rejects(
            record("up", () => new PersistentVolumes("shared", { vim: vim(), server: server() as never, volumes })),
            (error: Error) => {
                itself = error.message;
                return true;
            },
        );
        match(itself, /server: must be of type string, got a StorageServer; did you mean its output address\?/);
        match(await said({ server: "nfs://10.0.0.31", volumes }), /server: "nfs:\/\/10\.0\.0\.31" is no address/);
        match(await said({ server: "10.0.0.31", manifests: ["no.yaml"] }), /^ +manifests\.0: there is no file/m);
        const capacity = { data: { path: "/exports/data", capacity: "1Gi" } };
        match(await said({ server: "10.0.0.31", volumes: capacity }), /capacity: .*; did you mean "capacityGiB"\?/);
    });

    it("in a cloud is refused beside a cluster whose key pair has the same name, before anything is registered of it", async () => {
        const said =
            /StorageServer "files": INVALID_INPUT[\s\S]*serverName: the key pair "files" .* KubernetesCluster "files"/;
        await rejects(
            pairOf(() => clusterInCloud("files"), inCloud()),
            said,
        );
        await rejects(
            pairOf(inCloud(), () => clusterInCloud("files")),
            /KubernetesCluster "files": INVALID_INPUT[\s\S]*clusterName: the key pair "files" .* StorageServer "files"/,
        );
    });

    it("in a cloud stands beside a cluster of its name in another region or cloud, with the user's key pair, or with another serverName", async () => {
        const keyPair = { keyPair: "mine", ssh: { user: "debian", privateKey: sampleKey } };
        for (const nova of [{ region: "RegionTwo" }, { cloud: "other" }, keyPair])
            await pairOf(() => clusterInCloud("files", nova), inCloud());
        await pairOf(() => clusterInCloud("files"), inCloud({}, { serverName: "nfs" }));
        // The next run of a program is another one.
        for (const _ of [1, 2]) await pairOf(() => clusterInCloud("core"), inCloud());
    });

    for (const where of ["on a machine", "in a cloud"]) {
        it(`${where} keeps all that it is under another name of the resource, with serverName`, async () => {
            const made = (name: string, serverName?: string) => () =>
                where === "in a cloud"
                    ? inCloud(
                          { access: { jumpServer: { flavor: "tiny" } } },
                          { serverName, backups: savedTo() },
                          name,
                      )()
                    : new StorageServer(name, { ...args(), backups: savedTo(), ...(serverName && { serverName }) });
            const shown = async (...given: Parameters<typeof made>) => {
                const { resources } = await record("up", made(...given), { outputs, call });
                return Object.fromEntries(resources.map(({ label, inputs }) => [label, JSON.stringify(inputs)]));
            };
            // Pulumi's alias of a component holds for children whose names begin with its name.
            const renamed = (text: string) =>
                text
                    .replaceAll(/::files|\bfiles(?=[a-z0-9-]*-id\b)/g, part => part.replace("files", "site"))
                    // The recorder's ids of volumes have the name in them.
                    .replaceAll(/prepare the volumes\W+[0-9a-f]+/g, "");
            const former = await shown("files");
            for (const label of Object.keys(former)) match(label, /^\S+ files/);
            const expected = Object.entries(former).map(([label, inputs]) => [
                label.replace(" files", " site"),
                inputs,
            ]);
            const now = Object.entries(await shown("site", "files"));
            deepStrictEqual(
                now.map(([label, inputs]) => [label, renamed(inputs)]).sort(),
                expected.map(([label, inputs]) => [label, renamed(inputs!)]).sort(),
            );
        });
    }

    it("refuses clients that are not named", () => {
        const open = { ...args(), exports: { "/exports/data": { volume: "data" } } };
        throws(() => new StorageServer("store", open), /exports\.\/exports\/data\.clients: is required/);
    });
});

/** What a registered resource shows outside of its secrets. */
function shownOf(raw: unknown): string {
    return JSON.stringify(raw, (_, value) => (isSecret(value) ? "secret" : value));
}

describe("backups", () => {
    const sftp = { host: "backup.example", user: "ops", folder: "/backup", hostKey: "ssh-ed25519 AAAAC3Nz" };
    const s3 = { url: "https://s3.example/bucket", accessKey: "canary-access", secretKey: "canary-secret" };
    const backups = (run = "one") => ({
        nightly: {
            repository: { sftp: { ...sftp, privateKey: sampleKey } },
            password: "canary-password",
            schedule: "daily",
            run,
        },
        cloud: { repository: { s3 }, password: pulumi.output("canary-of-cloud") },
    });
    const ofServer = (run?: string) => () => new StorageServer("store", { ...args(), backups: backups(run) });
    const ofCluster = (run?: string) => () => {
        const { volumes, exports } = args();
        const storage = { server: { address: "10.99.0.200" }, volumes, exports, backups: backups(run) };
        return new KubernetesCluster("core", clusterArgs(1, { a: 1 }, { storage }));
    };
    const runs = { "the first preview": "preview", "a later preview": "preview", up: "up" } as const;
    const machineOf = async (run: keyof typeof runs, program: () => unknown) => {
        const { resources } = await record(runs[run], program, run === "a later preview" ? { updated: [] } : {});
        const machine = resources.find(({ label }) => label.startsWith("StorageMachine "))!;
        const inputsOf = ({ inputs }: Registered) => unpack(inputs, ["access", "connection", "fingerprintKey"]) as any;
        const started = resources.find(({ label }) => label.startsWith("StorageBackups "));
        const { spec, steps } = inputsOf(machine);
        const both: Record<string, string> = { ...steps, ...(started && inputsOf(started).steps) };
        return { resources, raw: machine.raw, spec, steps: both, own: steps as Record<string, string> };
    };

    for (const [what, program] of Object.entries({ "a StorageServer": ofServer, "a cluster": ofCluster })) {
        for (const run of Object.keys(runs) as (keyof typeof runs)[]) {
            it(`of ${what} keep passwords and keys secret, in ${run}`, async () => {
                const { resources, spec } = await machineOf(run, program());
                for (const { label, raw } of resources) ok(!shownOf(raw).includes("canary-"), label);
                // At the first preview the secrets are one unknown value.
                if (run === "the first preview") return;
                const { nightly, cloud } = spec.backups;
                deepStrictEqual([nightly.password, cloud.password], ["canary-password", "canary-of-cloud"]);
                strictEqual(nightly.repository.sftp.privateKey, sampleKey);
                deepStrictEqual(cloud.repository.s3, s3);
            });

            it(`of ${what} are steps, in ${run}`, async () => {
                const { steps, own } = await machineOf(run, program());
                for (const title of ["configure the backups", "start the backups"]) ok(title in steps, title);
                ok(!("start the backups" in own), "of a resource of its own");
            });
        }

        it(`of ${what} with another run change only their start`, async () => {
            const { steps: before } = await machineOf("up", program("one"));
            const { steps: after } = await machineOf("up", program("two"));
            const changed = Object.keys(after).filter(title => after[title] !== before[title]);
            deepStrictEqual(changed, ["start the backups"]);
        });
    }

    it("save all exports and keep a week, a month and half a year, unless something else is written", async () => {
        const given = (more: object) => () =>
            new StorageServer("store", {
                ...args(),
                backups: { nightly: { repository: { folder: "/mnt/backup" }, password: "p", ...more } },
            });
        const { spec } = await machineOf("up", given({}));
        deepStrictEqual(spec.backups.nightly, {
            exports: ["/exports/data"],
            repository: { folder: "/mnt/backup" },
            password: "p",
            keep: { daily: 7, weekly: 4, monthly: 6 },
        });
        const { spec: other } = await machineOf("up", given({ keep: { last: 1 } }));
        deepStrictEqual(other.backups.nightly.keep, { last: 1 });
    });

    it("come back from the latest snapshot of this server, unless something else is written", async () => {
        const lost = { backup: "cloud", path: "/exports/data", volume: "data", folder: "/back/" };
        const given = { ...args(), backups: backups(), restores: { lost } };
        const { spec, steps } = await machineOf("up", () => new StorageServer("store", given));
        deepStrictEqual(spec.restores.lost, { ...lost, folder: "back", snapshot: "latest", owner: "" });
        ok("restore folders from backups" in steps);
    });

    it("come after their server, and nothing waits for them", async () => {
        const { resources } = await record("up", () => {
            const { address } = new StorageServer("store", { ...args(), backups: backups() });
            new PersistentVolumes("shared", {
                vim: vim(),
                server: address,
                volumes: { one: { path: "/exports/data", capacityGiB: 5 } },
            });
        });
        const { after, deletedWith } = registered(resources, "StorageBackups store");
        ok(after.includes("StorageMachine store"));
        strictEqual(deletedWith, "StorageMachine store");
        ok(registered(resources, "PersistentVolumeSet shared").after.includes("StorageMachine store"));
        const waiting = resources.filter(each => each.after.includes("StorageBackups store"));
        deepStrictEqual(waiting, []);
    });

    it("are nothing without them", async () => {
        const { spec, resources } = await machineOf("up", () => new StorageServer("store", args()));
        ok(!("backups" in spec) && !("restores" in spec));
        ok(!resources.some(({ label }) => label.startsWith("StorageBackups ")));
    });
});

describe("PersistentVolumes", () => {
    const manifest = [
        "apiVersion: v1",
        "kind: PersistentVolume",
        "metadata: { name: nfs-pv1 }",
        "spec: { capacity: { storage: 1Gi }, accessModes: [ReadWriteMany], nfs: { path: /volume/nfs/pv1, server: 192.168.0.1 } }",
    ].join("\n");
    const volumesOf = async (more: object) => {
        const program = () => new PersistentVolumes("shared", { vim: vim(), ...more });
        const { resources } = await record("up", program);
        const { inputs, raw, after } = registered(resources, "PersistentVolumeSet shared");
        ok(isSecret(raw["access"]));
        ok(after.includes("VimRegistration site"));
        return inputs["volumes"] as Record<string, any>;
    };

    it("from Tacker's manifests get the server's address, by structure", async () => {
        const { "nfs-pv1": one } = await volumesOf({ manifests: [manifest], server: pulumi.output("10.0.0.31") });
        deepStrictEqual(one.spec.nfs, { path: "/volume/nfs/pv1", server: "10.0.0.31" });
        const { "nfs-pv1": asWritten } = await volumesOf({ manifests: [manifest] });
        strictEqual(asWritten.spec.nfs.server, "192.168.0.1");
    });

    it("that are typed keep data and wait for their server", async () => {
        const { one } = await volumesOf({
            server: "10.0.0.31",
            volumes: { one: { path: "/exports/data", capacityGiB: 5 } },
        });
        deepStrictEqual(one.spec, {
            capacity: { storage: "5Gi" },
            accessModes: ["ReadWriteMany"],
            persistentVolumeReclaimPolicy: "Retain",
            storageClassName: "",
            mountOptions: ["hard", "nfsvers=4.1"],
            nfs: { server: "10.0.0.31", path: "/exports/data" },
        });
    });

    it("are nothing else: other kinds belong to a Cnf", async () => {
        await record("up", () => {
            const site = vim();
            const other = manifest.replace("PersistentVolume", "PersistentVolumeClaim");
            throws(
                () => new PersistentVolumes("a", { vim: site, manifests: [other] }),
                /PersistentVolumeClaim is no PersistentVolume.*Cnf/,
            );
            throws(
                () => new PersistentVolumes("b", { vim: site, manifests: [`${manifest}\n---\n${manifest}\n`] }),
                /nfs-pv1 is there twice/,
            );
        });
    });
});

describe("StorageClasses", () => {
    const classesOf = async (more: object = {}) => {
        const classes = { fast: { export: "/exports/fast", onDelete: "delete", mode: "0777", mountOptions: ["soft"] } };
        const program = () =>
            new StorageClasses("store", { vim: vim(), server: pulumi.output("10.0.0.31"), classes, ...more });
        const { resources, result } = await record("up", program);
        return { ...registered(resources, "StorageClassSet store"), result };
    };

    it("are objects over the exports of a server, with the driver", async () => {
        const { inputs, raw, after, result } = await classesOf();
        const { fast } = inputs["classes"] as any;
        deepStrictEqual([fast.parameters.server, fast.parameters.share], ["10.0.0.31", "/exports/fast"]);
        deepStrictEqual([fast.parameters.onDelete, fast.parameters.mountPermissions], ["delete", "0777"]);
        deepStrictEqual(fast.mountOptions, ["soft"]);
        ok((inputs["driver"] as object[]).length > 0);
        ok(isSecret(raw["access"]) && after.includes("VimRegistration site"));
        deepStrictEqual(await promiseOf(result.names), ["fast"]);
    });

    it("are served by a driver that is there, where that is said", async () => {
        deepStrictEqual((await classesOf({ nfsCsi: { enabled: false } })).inputs["driver"], []);
    });

    it("come with snapshots where there are classes of them", async () => {
        const snapshotClasses = { snap: { isDefault: true } };
        const classes = { fast: { export: "/exports/fast" } };
        const args = { server: "10.0.0.31", classes, snapshotClasses };
        const { resources } = await record("up", () => new StorageClasses("store", { ...args, vim: vim() }));
        const { inputs, after, raw } = registered(resources, "SnapshotClassSet store");
        deepStrictEqual(Object.keys(inputs["classes"] as object), ["snap"]);
        deepStrictEqual((inputs["definitions"] as object[]).length, 3);
        ok(isSecret(raw["access"]) && after.includes("VimRegistration site"));
        const { after: before, inputs: made } = registered(resources, "StorageClassSet store");
        ok(before.includes("SnapshotClassSet store"));
        ok(JSON.stringify(made["driver"]).includes("csi-snapshotter"));
        deepStrictEqual(made["owner"], inputs["owner"]);
    });

    it("are refused without any", async () => {
        await record("up", () => {
            throws(
                () => new StorageClasses("a", { vim: vim(), server: "10.0.0.31", classes: {} }),
                /classes: name at least one/,
            );
        });
    });
});
