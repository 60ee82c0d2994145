import { deepStrictEqual, ok } from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import { parse } from "yaml";
import type { KubernetesClusterArgs } from "../../../components/args/args";
import { cloudProvider } from "../../../components/infrastructure/openstack/cloud-provider";
import { heatServers } from "../../../components/infrastructure/openstack/heat/heat-servers";
import { heatTemplate } from "../../../components/infrastructure/openstack/heat/heat-template";
import { novaServers } from "../../../components/infrastructure/openstack/nova/nova-servers";
import { policies } from "../../../components/infrastructure/openstack/openstack-plugin";
import { planServers } from "../../../components/infrastructure/openstack/plan/plan-servers";
import { cloudHooks } from "../../../components/infrastructure/openstack/resources/cloud-hooks";
import { resourceContext } from "../../../components/infrastructure/openstack/resources/resource-context";
import { storageServer } from "../../../components/infrastructure/openstack/resources/storage-server";
import type { ServersRequest } from "../../../components/infrastructure/openstack/servers";
import type { FoundTool } from "../../../tools/found";
import { resolveTool } from "../../../tools/resolver";
import { openstackPlugins } from "../../../tools/versions";
import { needsTool } from "../../support/needs-tool";
import { record } from "../../unit/components/recorder";

interface TypeSpec {
    type?: string;
    $ref?: string;
    items?: TypeSpec;
    additionalProperties?: TypeSpec;
    properties?: Record<string, TypeSpec>;
    required?: string[];
}

interface PackageSchema {
    version: string;
    types: Record<string, TypeSpec>;
    resources: Record<
        string,
        {
            inputProperties: Record<string, TypeSpec>;
            requiredInputs?: string[];
            properties: Record<string, TypeSpec>;
            deprecationMessage?: string;
        }
    >;
    functions: Record<string, { inputs?: TypeSpec; outputs?: TypeSpec; deprecationMessage?: string }>;
}

/** Outputs and results that our code reads. */
const outputsRead: Record<string, string[]> = {
    "openstack:networking/port:Port": ["allFixedIps"],
    "openstack:networking/floatingIp:FloatingIp": ["address"],
    "openstack:orchestration/stackV1:StackV1": ["StackOutputs"],
    "openstack:networking/getNetwork:getNetwork": ["id", "name"],
    "openstack:networking/getSubnet:getSubnet": ["id", "cidr"],
    "openstack:networking/getSecGroup:getSecGroup": ["id"],
    "openstack:networking/getRouter:getRouter": ["id"],
    "openstack:images/getImage:getImage": ["id"],
    "openstack:identity/applicationCredential:ApplicationCredential": ["secret"],
    "openstack:identity/getAuthScope:getAuthScope": ["serviceCatalogs"],
};

const id = "11111111-2222-3333-4444-555555555555";
const server = {
    bootVolume: { sizeGiB: 9, type: "ssd" },
    volumes: { data: { sizeGiB: 1, type: "ssd" } },
    networks: [{ network: "n6", subnet: "v4", port: { vnicType: "direct", portSecurity: false } }],
    securityGroups: ["monitoring"],
    availabilityZones: ["nova"],
    configDrive: true,
};
const common = { image: "debian", flavor: "m1", externalNetwork: "public", deleteProtection: true };

/** Together they use every property that we ever set. */
const clouds: object[] = [
    { ...common, server, network: { mtu: 1400, dnsServers: ["9.9.9.9"] }, access: { jumpServer: { flavor: "m1" } } },
    { ...common, network: { network: "site", subnet: "v4" }, access: { nodePortCidrs: ["10.0.0.0/8"] } },
    { ...common, network: { router: "edge" }, image: id, flavor: id, externalNetwork: id },
];

interface Use {
    token: string;
    inputs: Record<string, unknown>;
}

/** Everything that both back ends use of the plugin: resources and functions. */
async function uses(): Promise<{ resources: Use[]; functions: Use[] }> {
    const resources: Use[] = [];
    const functions: Use[] = [];
    let stackOutputs: object[] = [];
    const answers = {
        call: (token: string, inputs: Record<string, unknown>) => {
            functions.push({ token, inputs });
            return { id, name: "x", cidr: "10.0.0.0/24" };
        },
        outputs: (type: string) => ({
            ...(type.endsWith(":Port") ? { allFixedIps: ["10.0.0.9"] } : { address: "1.2.3.4" }),
            ...(type.endsWith(":StackV1") && { StackOutputs: stackOutputs }),
        }),
    };
    for (const back of ["nova", "heat"] as const) {
        for (const cloud of clouds) {
            const args: KubernetesClusterArgs = {
                infrastructure: { [back]: cloud },
                kubernetes: { version: "1.36.3" },
                controlPlane: { endpoint: { vip: { address: "10.100.0.9" } } },
                pools: { workers: {} },
                storage: {
                    server: { flavor: "m1", fixedAddress: "10.100.0.10", securityGroups: ["clients"] },
                    volumes: { data: { sizeGiB: 1, type: "ssd" } },
                },
            };
            const plan = planServers(args, "core", { project: "shop", stack: "dev" });
            const program = () => {
                const request: ServersRequest = {
                    name: "core",
                    plan,
                    publicKey: "ssh-ed25519 AAAA",
                    userData: Object.fromEntries(
                        [...plan.servers, { name: "core-jump" }].map(({ name }) => [name, "#cloud-config"]),
                    ),
                    kept: pulumi.output("{}"),
                    dependsOn: [],
                    owner: {} as never,
                    place: {} as never,
                    fingerprintKey: pulumi.output("key"),
                    leftovers: () => new pulumi.ComponentResource("test:index:Leftovers", "core"),
                    parent: new pulumi.ComponentResource("test:index:Ground", "core"),
                };
                const checked = { keptInputs: pulumi.output(undefined), shapes: pulumi.output(undefined) };
                const heat = {
                    cloud: {},
                    stackName: "core",
                    timeoutMinutes: 60,
                    generations: {},
                    prepared: undefined,
                    marked: undefined,
                    takenOut: undefined,
                    inStack: { nodes: {} },
                };
                const context = resourceContext({ ...request, checked, hooks: cloudHooks(request) });
                const { place } =
                    back === "nova" ? novaServers(request, context) : heatServers({ ...request, ...heat });
                if (plan.storage) storageServer(context, place!, plan.storage, "#cloud-config");
            };
            const { outputs } = parse(heatTemplate(plan).template) as { outputs: object };
            stackOutputs = Object.keys(outputs).map(outputKey => ({ outputKey, outputValue: "10.0.0.0/24" }));
            const made = await record("up", program, answers);
            resources.push(...made.resources.map(({ type, inputs }) => ({ token: type, inputs })));
        }
    }
    const made = await record("up", inCloud, {
        ...answers,
        call: (token, inputs) => {
            const endpoints = [{ id, interface: "public", region: "one", regionId: "one", url: "https://keystone" }];
            return {
                ...answers.call(token, inputs),
                serviceCatalogs: [{ id, name: "k", type: "identity", endpoints }],
            };
        },
    });
    resources.push(...made.resources.map(({ type, inputs }) => ({ token: type, inputs })));
    return { resources: resources.filter(({ token }) => token.startsWith("openstack:")), functions };
}

class Check extends pulumi.CustomResource {}

/** OpenStack's own components in the cluster, with a credential made for them. */
function inCloud() {
    const parent = new pulumi.ComponentResource("test:index:Ground", "core");
    const given = { cloudControllerManager: {}, credentials: { roles: ["member"] } };
    return cloudProvider({
        name: "core",
        args: { infrastructure: { nova: {} }, kubernetes: { version: "1.36.3" }, cloudProvider: given },
        given,
        clusterName: "core",
        clusterId: pulumi.output("core-1"),
        fingerprintKey: pulumi.output("key"),
        controlPlane: [],
        changeNumber: pulumi.output(undefined),
        problems: pulumi.output(undefined),
        check: new Check("test:index:Check", "core", {}, { parent }),
        options: { parent },
    });
}

async function schemaOf(plugin: FoundTool): Promise<PackageSchema> {
    const cli = await resolveTool("pulumi");
    const argv = ["package", "get-schema", plugin.programs["pulumi-resource-openstack"]!];
    const env = {
        ...process.env,
        PULUMI_SKIP_UPDATE_CHECK: "true",
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    };
    const { stdout } = await promisify(execFile)(cli.programs["pulumi"]!, argv, { env, maxBuffer: 64 << 20 });
    return JSON.parse(stdout);
}

/** Places at which a value does not match its type. */
function misfits(schema: PackageSchema, type: TypeSpec | undefined, value: unknown, place: string): string[] {
    if (value === undefined) return [];
    if (!type) return [`${place}: is not known`];
    if (type.$ref === "pulumi.json#/Any") return [];
    if (type.$ref) {
        const object = schema.types[decodeURIComponent(type.$ref.replace("#/types/", ""))];
        return object?.properties ? objectMisfits(schema, object, value as object, place) : [];
    }
    if (type.items) {
        if (!Array.isArray(value)) return [`${place}: must be a list`];
        return value.flatMap((item, i) => misfits(schema, type.items, item, `${place}[${i}]`));
    }
    if (type.additionalProperties) return typeof value === "object" ? [] : [`${place}: must be a map`];
    const wanted = { integer: "number", number: "number", string: "string", boolean: "boolean" }[type.type ?? ""];
    return wanted === undefined || typeof value === wanted ? [] : [`${place}: must be a ${type.type}`];
}

function objectMisfits(schema: PackageSchema, type: TypeSpec, value: object, place: string): string[] {
    const missing = (type.required ?? []).filter(key => (value as Record<string, unknown>)[key] === undefined);
    return [
        ...missing.map(key => `${place}.${key}: is required`),
        ...Object.entries(value).flatMap(([key, inner]) =>
            misfits(schema, type.properties?.[key], inner, `${place}.${key}`),
        ),
    ];
}

describe("what we use of Pulumi's openstack plugin", () => {
    let used: Awaited<ReturnType<typeof uses>>;

    before(async () => {
        used = await uses();
        const kinds = new Set([...used.resources, ...used.functions].map(({ token }) => token));
        // Without recorded resources the comparison would pass in vain.
        ok(kinds.size >= 19, [...kinds].sort().join("\n"));
        for (const token of Object.keys(outputsRead)) ok(kinds.has(token), `${token} was not used`);
    });

    for (const version of openstackPlugins) {
        describe(`is there in version ${version}`, () => {
            let schema: PackageSchema;

            before(async function () {
                schema = await schemaOf(await needsTool(this, "plugin-openstack", version));
            });

            it("with every input of every resource, of the same type", () => {
                const found = used.resources.flatMap(({ token, inputs }) => {
                    const resource = schema.resources[token];
                    if (!resource) return [`${token}: there is no such resource`];
                    const type = { properties: resource.inputProperties, required: resource.requiredInputs };
                    const written = inputs["policies"]
                        ? { ...inputs, policies: policies("affinity", version) }
                        : inputs;
                    return objectMisfits(schema, type, written, token);
                });
                deepStrictEqual([...new Set(found)], []);
            });

            it("with every input of every function", () => {
                const found = used.functions.flatMap(({ token, inputs }) => {
                    const type = schema.functions[token]?.inputs;
                    return type ? objectMisfits(schema, type, inputs, token) : [`${token}: there is no such function`];
                });
                deepStrictEqual([...new Set(found)], []);
            });

            it("with every output that is read", () => {
                const found = Object.entries(outputsRead).flatMap(([token, names]) => {
                    const known = schema.resources[token]?.properties ?? schema.functions[token]?.outputs?.properties;
                    return names.filter(name => !Object.hasOwn(known ?? {}, name)).map(name => `${token}.${name}`);
                });
                deepStrictEqual(found, []);
            });

            it("and none of it is deprecated", () => {
                const tokens = [...used.resources, ...used.functions].map(({ token }) => token);
                const old = tokens.filter(
                    token => (schema.resources[token] ?? schema.functions[token])?.deprecationMessage !== undefined,
                );
                deepStrictEqual([...new Set(old)], []);
            });
        });
    }
});
