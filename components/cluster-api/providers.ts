import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";
import type * as pulumi from "@pulumi/pulumi";
import { componentsPath, providerOf } from "../../provider/cluster-api";
import type { ClusterApiProviderInput } from "../../provider/cluster-api/cluster-api-providers";
import { parseManifest } from "../../provider/common/bundle";
import { readGivenFile } from "../../provider/common/given-file";
import type { ClusterApiProviderArgs } from "../args/cluster-api-provider-args";
import { withV } from "./workload-spec";

/** What a management cluster for OpenStack needs. */
const usual = ["cluster-api", "bootstrap-kubeadm", "control-plane-kubeadm", "infrastructure-openstack"];

interface Wanted {
    bundle?: string;
    providers?: Record<string, ClusterApiProviderArgs>;
}

/** The providers of a management cluster. @throws Error that says what is wrong */
export function providersOf({ bundle, providers }: Wanted): ClusterApiProviderInput[] {
    const wanted: Record<string, ClusterApiProviderArgs> =
        providers ?? Object.fromEntries(usual.map(label => [label, {}]));
    return Object.entries(wanted).map(([label, args]) => {
        const { version, file } = componentsOf(label, args, bundle);
        const { featureGates, flags, replicas, requests, limits, image } = args;
        return {
            ...providerOf(label),
            version: withV(version),
            componentsFile: path.resolve(file),
            componentsHash: createHash("sha256").update(readFileSync(file)).digest("hex"),
            ...(featureGates && { featureGates }),
            ...(flags && { flags }),
            ...(replicas !== undefined && { replicas }),
            ...((requests ?? limits) && { resources: { ...(requests && { requests }), ...(limits && { limits }) } }),
            ...(image !== undefined && { image }),
        };
    });
}

/** Values of the providers' variables, by the provider's label. */
export function variablesOf({ providers = {} }: Wanted): Record<string, Record<string, pulumi.Input<string>>> {
    return Object.fromEntries(
        Object.entries(providers).flatMap(([label, { variables }]) => (variables ? [[label, variables]] : [])),
    );
}

interface Components {
    version: string;
    file: string;
}

function componentsOf(label: string, args: ClusterApiProviderArgs, bundle: string | undefined): Components {
    const place = `providers.${label}`;
    if (args.components === undefined) {
        if (bundle === undefined) throw new Error(`${place}.components: is required, or bundle`);
        return inBundle(label, args.version, bundle);
    }
    if (args.version === undefined) throw new Error(`${place}.version: is required with components: "1.13.6"`);
    try {
        readGivenFile(args.components);
    } catch (error) {
        throw new Error(`${place}.components: ${(error as Error).message}`);
    }
    return { version: args.version, file: args.components };
}

/** The bundle knows the version of what it has. */
function inBundle(label: string, version: string | undefined, bundle: string): Components {
    const manifestFile = path.join(bundle, "manifest.json");
    if (!existsSync(manifestFile)) throw new Error(`bundle: there is no bundle ${path.resolve(bundle)}`);
    const { files, kubernetes } = parseManifest(readFileSync(manifestFile, "utf8"), bundle);
    const wanted = componentsPath(providerOf(label));
    const has = files.find(each => each.kind === "manifest" && each.path === wanted)?.version;
    if (has === undefined) {
        throw new Error(
            `bundle: ${bundle} does not have ${label}: npx nfv bundle --kubernetes ${kubernetes} --add-ons cluster-api,cluster-api-openstack, or give providers.${label}.components`,
        );
    }
    if (version !== undefined && withV(version) !== has) {
        throw new Error(`providers.${label}.version: is ${withV(version)}, and the bundle ${bundle} has ${has}`);
    }
    return { version: has, file: path.join(bundle, wanted) };
}
