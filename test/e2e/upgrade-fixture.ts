import * as fs from "node:fs";
import * as path from "node:path";
import type { UpgradeOrderArgs } from "../../components/args/upgrade-args";
import { labBundle } from "../../lab/kubernetes-image";
import type { AddOnName } from "../../tools/oci/add-on-images";
import { versions } from "../../tools/versions";
import { canaries, clusterArguments, type Fixture, openFixture } from "./cluster-fixture";
import { nodeInfo } from "./cluster-observed";

/** Two patch releases: the same programs under two numbers (tools/restamp.ts). */
export const [from, to] = ["1.36.2", "1.36.3"];

export interface UpgradeFixture extends Fixture {
    /** The program asks for this version, in this order, from now on. */
    give(version: string, upgrade?: UpgradeOrderArgs): Promise<void>;
    /** Name of each node → the version that its kubelet says. */
    versions(): Promise<Record<string, string>>;
}

/**
 * Genuine builds of the last minor that has ended and the three that upstream supports, each with the etcd that its kubeadm expects. Without a source that
 * has them, all but the pinned one are built once from Go modules, which takes 10 to 40 minutes each; the cache keeps them.
 */
export const minors = ["1.34.4", "1.35.4", versions.kubernetes, "1.37.2"] as const;

/** Where a version comes from, as the program says it, besides what it needs for that. */
export type SourceOf = (version: string) => Promise<{ source: object; args?: object }>;

/** Bundles: the lab's machines have the images of all versions, so they bring programs only. */
async function fromBundles({ folder }: Fixture): Promise<SourceOf> {
    const bundles: Record<string, string> = {};
    return async version => {
        bundles[version] ??= await programsOf(version, folder);
        return { source: { bundle: { path: bundles[version] } } };
    };
}

/** A cluster of the first version, made by `pulumi up`. Its machines have the images of all. `sources` prepares them for where programs come from. */
export async function openUpgrade(
    name: string,
    masters: string[],
    workers: string[],
    kubernetes: readonly string[] = [from, to],
    sources: (fixture: Fixture) => Promise<SourceOf> = fromBundles,
): Promise<UpgradeFixture> {
    const fixture = await openFixture({ name, nodes: [...masters, ...workers], kubernetes });
    let sourceOf: SourceOf;
    const opened = {
        ...fixture,
        async give(version: string, upgrade?: UpgradeOrderArgs) {
            const { source, args: besides } = await sourceOf(version);
            const args = { ...clusterArguments(fixture.lab, { masters, workers }), ...besides } as Record<string, any>;
            // The first minor of the chain has ended, and a day comes when another one has.
            args["kubernetes"] = { version, source, upgrade, allowUnsupportedVersion: true };
            const secrets = { privateKey: fixture.lab.node("m1").privateKey, ...canaries };
            await fixture.project.setConfig({ cluster: JSON.stringify(args) }, { secrets: JSON.stringify(secrets) });
        },
        versions: () => nodeInfo(fixture, "kubeletVersion"),
    };
    try {
        sourceOf = await sources(fixture);
        await opened.give(kubernetes[0]!);
        await fixture.project.up();
    } catch (error) {
        await fixture.close();
        throw error;
    }
    return opened;
}

/** A bundle without images, made at the first call. */
export async function programsOf(version: string, parent: string, addOns: readonly AddOnName[] = []): Promise<string> {
    const bundle = await labBundle(version, addOns, () => {});
    const folder = path.join(parent, ["bundle", version, ...addOns].join("-"));
    if (fs.existsSync(folder)) return folder;
    fs.mkdirSync(folder);
    const manifest = JSON.parse(fs.readFileSync(path.join(bundle, "manifest.json"), "utf8"));
    const files = manifest.files.filter(({ kind }: { kind: string }) => kind !== "image");
    for (const name of fs.readdirSync(bundle)) fs.symlinkSync(path.join(bundle, name), path.join(folder, name));
    fs.rmSync(path.join(folder, "manifest.json"));
    fs.writeFileSync(path.join(folder, "manifest.json"), JSON.stringify({ ...manifest, files }));
    return folder;
}
