import type { Role } from "../../../../provider/common/model";
import { chosenNumbers } from "../../choose-nodes";
import { cidrOf, healedWith, letThrough, nameOutputs, type ServerExpressions, type Single, shapeOf } from "./addresses";
import { buildScope } from "./build-scope";
import { countedGroups, countOf, refuseOtherCopy, type WantedNodes, withoutOf } from "./counted-groups";
import { asText, emit, type ServerChange, serverChange } from "./emit";
import { asCall } from "./functions";
import { placeText, templateError } from "./places";
import { checkVirtualPort } from "./port-users";
import { rewrite } from "./rewrite";
import { type Scope, singles } from "./scope";
import type { ExpandedNode, ExpandedStack, Hot, TemplateAnswers, TemplateFiles, Value } from "./types";

/** A user's template that follows the contract of docs/heat-templates.md. */
export interface OwnTemplateAnswers extends TemplateAnswers, WantedNodes {
    clusterName: string;
}

const listKeys = { addresses: "address", serverIds: "serverId", sshAddresses: "sshAddress" } as const;
type Field = (typeof listKeys)[keyof typeof listKeys];

interface Pool {
    role: Role;
    pool?: string;
    /** Fields as lists in the order of the nodes: `pools.workers.addresses`. */
    lists: Partial<Record<Field, string>>;
    /** Fields of one node: node → field (`volume.data` too) → output. */
    single: Map<string, Record<string, string>>;
}

/**
 * Reads a template that names its nodes by outputs, and flattens it (StackV1 cannot pass nested files). The names of the outputs
 * define the nodes and their roles, so preview knows them.
 */
export function expandOwn(files: TemplateFiles, given: OwnTemplateAnswers): ExpandedStack {
    const { hot } = files;
    const answers = { ...given, parameters: { ...contractParameters(hot, given), ...given.parameters } };
    const world = { answers, nested: files.nested, files: files.files, conditions: new Map<string, Value>() };
    const counted = countedGroups(hot, given);
    const scope = buildScope(hot, world, counted);
    const pools = readContract(hot);
    checkContract(hot, pools, given);
    const changes = new Map<string, ServerChange>();
    const outputs: Record<string, Value> = {};
    const nodes = pools.flatMap(pool => {
        const found = [...listed(pool, scope, answers, withoutOf(pool.pool, given)), ...explicit(pool, scope)];
        checkCount(pool, found.length, scope, given);
        return found.map(({ name, expressions }): ExpandedNode => {
            const server = serverBehind(name, expressions.serverId, scope);
            if (withoutOf(pool.pool, given).length > 0) refuseOtherCopy(name, pool.pool, server.name, counted);
            const change = serverChange(server, undefined, given, name);
            changes.set(server.name, change);
            return {
                name,
                role: pool.role,
                ...(pool.pool === undefined ? {} : { pool: pool.pool }),
                resource: server.name,
                healed: healedWith(server),
                ...shapeOf(server, scope),
                letThrough: letThrough(server, expressions.address, scope),
                generationParameter: change.generationParameter,
                ...(change.userDataParameter === undefined ? {} : { userDataParameter: change.userDataParameter }),
                outputs: nameOutputs(name, expressions, outputs),
            };
        });
    });
    const vip = vipOutputs(scope, outputs);
    const rest = Object.fromEntries(Object.entries(hot.outputs).filter(([name]) => !isContract(name)));
    const flat = emit(scope, changes, rest, outputs, answers);
    return { ...flat, nodes, ...(vip ? { vip } : {}), servers: [] };
}

/** Parameters that we set if the template declares them. */
function contractParameters(hot: Hot, { clusterName, counts }: OwnTemplateAnswers): Record<string, Value> {
    const all: Record<string, Value | undefined> = {
        cluster_name: clusterName,
        [countOf(undefined)]: counts.controlPlane,
        ...Object.fromEntries(Object.entries(counts.pools ?? {}).map(([pool, count]) => [countOf(pool), count])),
    };
    const known = Object.entries(all).filter(
        ([name, value]) => value !== undefined && Object.hasOwn(hot.parameters, name),
    );
    return Object.fromEntries(known) as Record<string, Value>;
}

const contractName =
    /^(?:controlPlane|pools\.([^.]+))\.(?:(addresses|serverIds|sshAddresses)|([^.]+)\.(address|serverId|sshAddress|volume\.[^.]+))$/;

function isContract(name: string): boolean {
    return contractName.test(name) || /^vip\.(?:address|cidr|floatingAddress)$/.test(name);
}

function readContract(hot: Hot): Pool[] {
    const pools = new Map<string, Pool>();
    for (const name of Object.keys(hot.outputs)) {
        const match = contractName.exec(name);
        if (!match) {
            if (/^(?:controlPlane|pools|vip)\./.test(name) && !isContract(name)) {
                const hint = "Names of the contract: see docs/heat-templates.md.";
                throw templateError(
                    placeText(hot.outputs[name].source),
                    `output ${name}: this name means nothing`,
                    hint,
                );
            }
            continue;
        }
        const [, pool, list, node, field] = match;
        const key = pool ?? "";
        if (!pools.has(key)) {
            pools.set(key, {
                role: pool === undefined ? "controlPlane" : "worker",
                ...(pool === undefined ? {} : { pool }),
                lists: {},
                single: new Map(),
            });
        }
        const entry = pools.get(key)!;
        if (list) entry.lists[listKeys[list as keyof typeof listKeys]] = name;
        else entry.single.set(node, { ...entry.single.get(node), [field]: name });
    }
    return [...pools.values()].sort((a, b) => a.role.localeCompare(b.role));
}

/** Reports everything that is missing in one error, with the lines to add. */
function checkContract(hot: Hot, pools: Pool[], { counts }: OwnTemplateAnswers): void {
    const missing: string[] = [];
    const wanted = [
        { prefix: "controlPlane", found: pools.some(pool => pool.role === "controlPlane") },
        ...Object.keys(counts.pools ?? {}).map(name => ({
            prefix: `pools.${name}`,
            found: counts.pools![name] === 0 || pools.some(pool => pool.pool === name),
        })),
    ];
    for (const { prefix, found } of wanted) if (!found) missing.push(`${prefix}.addresses`, `${prefix}.serverIds`);
    for (const pool of pools) {
        const prefix = pool.pool === undefined ? "controlPlane" : `pools.${pool.pool}`;
        const asLists = Object.keys(pool.lists).length > 0;
        if (asLists && !pool.lists.address) missing.push(`${prefix}.addresses`);
        if (asLists && !pool.lists.serverId) missing.push(`${prefix}.serverIds`);
        for (const [node, fields] of pool.single) {
            const nodeKnownByList = asLists && Object.keys(fields).every(field => field.startsWith("volume."));
            for (const field of nodeKnownByList ? [] : (["address", "serverId"] as const)) {
                if (!fields[field]) missing.push(`${prefix}.${node}.${field}`);
            }
        }
    }
    if (missing.length === 0) return;
    const examples: Record<string, string> = {
        addresses: '{ list_join: [",", { get_attr: [GROUP, first_address] }] }',
        serverIds: '{ list_join: [",", { get_attr: [GROUP, refs] }] }',
        address: "{ get_attr: [PORT, fixed_ips, 0, ip_address] }",
        serverId: "{ get_resource: SERVER }",
    };
    const lines = missing.map(name => `  ${name}: { value: ${examples[name.split(".").at(-1)!]} }`);
    throw templateError(
        hot.file,
        `the template does not say which nodes it makes: ${missing.length === 1 ? "an output is" : "outputs are"} missing`,
        ["Add to its outputs, with the names of your resources:", ...lines, "See docs/heat-templates.md."].join("\n"),
    );
}

type Found = { name: string; expressions: ServerExpressions };

function listed(pool: Pool, scope: Scope, answers: TemplateAnswers, without: readonly number[]): Found[] {
    const items = Object.entries(pool.lists).map(([field, output]) => [field, itemsOf(output, scope)] as const);
    if (items.length === 0) return [];
    const count = items[0][1].length;
    const uneven = items.find(([, list]) => list.length !== count);
    if (uneven) {
        const names = items.map(([field, list]) => `${pool.lists[field as Field]} ${list.length}`).join(", ");
        throw templateError(
            scope.hot.file,
            `the lists of one pool differ in length: ${names}`,
            "List each node once in each.",
        );
    }
    return chosenNumbers(count, without).map((number, index) => {
        const name = answers.naming(pool.role, pool.pool, number);
        const fields = Object.fromEntries(items.map(([field, list]) => [field, list[index]]));
        return {
            name,
            expressions: {
                address: asText(fields.address),
                serverId: fields.serverId,
                ...(fields.sshAddress === undefined ? {} : { sshAddress: asText(fields.sshAddress) }),
                volumes: volumesOf(pool.single.get(name) ?? {}, scope),
            },
        };
    });
}

/** A list, or a list joined to a text: its members, each an expression of the flat template. */
function itemsOf(output: string, scope: Scope): Value[] {
    const { value, source } = scope.hot.outputs[output];
    const flat = rewrite(value, scope);
    const call = asCall(flat);
    const list = call?.name === "list_join" && Array.isArray(call.argument) ? call.argument[1] : flat;
    if (Array.isArray(list)) return list;
    throw templateError(
        placeText(source),
        `${output}: how many nodes it lists is not known before the stack is made`,
        'Write a list, { get_attr: [GROUP, ATTRIBUTE] } of a group in this template, or list_join: [",", …] of one of them.',
    );
}

function explicit(pool: Pool, scope: Scope): Found[] {
    return [...pool.single]
        .filter(([, fields]) => fields.address !== undefined)
        .map(([name, fields]) => {
            const value = (output: string) => rewrite(scope.hot.outputs[output].value, scope);
            return {
                name,
                expressions: {
                    address: asText(value(fields.address)),
                    serverId: value(fields.serverId),
                    ...(fields.sshAddress === undefined ? {} : { sshAddress: asText(value(fields.sshAddress)) }),
                    volumes: volumesOf(fields, scope),
                },
            };
        });
}

function volumesOf(fields: Record<string, string>, scope: Scope): Record<string, Value> {
    const volumes = Object.entries(fields).filter(([field]) => field.startsWith("volume."));
    return Object.fromEntries(
        volumes.map(([field, output]) => [
            field.slice("volume.".length),
            asText(rewrite(scope.hot.outputs[output].value, scope)),
        ]),
    );
}

/** The node's server must be a resource of the stack: only then can a sick one be replaced by name. */
function serverBehind(node: string, serverId: Value, scope: Scope): Single {
    const call = asCall(serverId);
    const name = call?.name === "get_resource" ? String(call.argument) : undefined;
    const all = [...scope.members.values()].flatMap(member => singles(member));
    const server = all.find(({ member }) => member.name === name && member.type === "OS::Nova::Server");
    if (server) return server.member;
    throw templateError(
        scope.hot.file,
        `the server id of ${node} is no reference to a server of this template`,
        "Its value must be { get_resource: SERVER } of an OS::Nova::Server, directly, by refs of a group, or by a nested output.",
    );
}

function checkCount(pool: Pool, found: number, scope: Scope, { counts }: OwnTemplateAnswers): void {
    if (pool.pool !== undefined && counts.pools && !Object.hasOwn(counts.pools, pool.pool)) {
        throw templateError(
            scope.hot.file,
            `the template makes nodes of pool ${pool.pool}, which the program does not have`,
            `Add pools.${pool.pool} to the program.`,
        );
    }
    const wanted = pool.pool === undefined ? counts.controlPlane : counts.pools?.[pool.pool];
    if (wanted === undefined || wanted === found) return;
    const title = pool.pool === undefined ? "masters" : `nodes of pool ${pool.pool}`;
    throw templateError(
        scope.hot.file,
        `the template makes ${found} ${title}, the program asks for ${wanted}`,
        `Let the template take the number from a parameter ${countOf(pool.pool)} (type: number): it is filled by us. Or change the number.`,
    );
}

function vipOutputs(scope: Scope, outputs: Record<string, Value>): ExpandedStack["vip"] {
    const { hot, members } = scope;
    const value = (key: string) => hot.outputs[key] && rewrite(hot.outputs[key].value, scope);
    const address = value("vip.address");
    if (address === undefined) return undefined;
    const call = asCall(address);
    const port = call?.name === "get_attr" && Array.isArray(call.argument) ? String(call.argument[0]) : undefined;
    const single = [...members.values()].flatMap(member => singles(member)).find(({ member }) => member.name === port);
    if (single) checkVirtualPort(single.member, scope);
    const all = {
        address,
        cidr: value("vip.cidr") ?? (single && cidrOf(single.member)),
        floatingAddress: value("vip.floatingAddress"),
    };
    const known = Object.entries(all).filter(([, expression]) => expression !== undefined) as [string, Value][];
    for (const [key, expression] of known) outputs[`vip.${key}`] = asText(expression);
    return Object.fromEntries(known.map(([key]) => [key, `vip.${key}`])) as unknown as ExpandedStack["vip"];
}
