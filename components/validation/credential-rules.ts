import { createPrivateKey } from "node:crypto";
import { hostKeyProblem, privateKeyProblem } from "../../provider/ssh/credentials";
import { certificateSign, unreadableCertificate } from "../common/certificate-files";
import type { PlainArgs } from "../common/plain-args";
import type { Problem, Rule } from "./rule";

type PlainSsh = NonNullable<NonNullable<PlainArgs["infrastructure"]["hosts"]>["ssh"]>;

interface Form {
    sign: RegExp;
    called: string;
    /** Why a text with that sign cannot be read. */
    unreadable(text: string, passphrase?: string): string | undefined;
}

const keySign = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----|^PuTTY-User-Key-File-/;

/** What a text must be, by its kind. Values that are not known yet are ignored. */
const forms = {
    key: { sign: keySign, called: "private key", unreadable: privateKeyProblem },
    tlsKey: { sign: keySign, called: "private key", unreadable: tlsKeyProblem },
    certificate: {
        sign: certificateSign,
        called: "PEM certificate",
        unreadable: unreadableCertificate,
    },
} satisfies Record<string, Form>;

/** A path in place of a key's or certificate's text, and a text that was cut off: these would otherwise show only when they are used. */
export function textProblems(place: string, value: unknown, form: keyof typeof forms, passphrase?: string): Problem[] {
    if (typeof value !== "string") return [];
    const { sign, called, unreadable }: Form = forms[form];
    // The value itself is never printed: it may be a secret.
    if (!sign.test(value)) return [[place, `is no ${called}: give its text (readFileSync of the file), not a path`]];
    const problem = unreadable(value, passphrase);
    return problem === undefined ? [] : [[place, problem]];
}

function tlsKeyProblem(text: string): string | undefined {
    try {
        createPrivateKey(text);
        return undefined;
    } catch {
        return /ENCRYPTED/.test(text)
            ? "is protected by a passphrase: give it without one"
            : "cannot be read: give the private key with all of its lines";
    }
}

export function sshKeyProblems(place: string, ssh: PlainSsh | undefined): Problem[] {
    if (!ssh) return [];
    const { privateKey, passphrase, hostKey, jump } = ssh;
    const wrongHostKey = typeof hostKey === "string" ? hostKeyProblem(hostKey) : undefined;
    // A passphrase that is not known yet may open the key.
    const isOpen = "passphrase" in ssh && typeof passphrase !== "string";
    return [
        ...(isOpen ? [] : textProblems(`${place}.privateKey`, privateKey, "key", passphrase)),
        ...(wrongHostKey === undefined ? [] : [[`${place}.hostKey`, wrongHostKey] as Problem]),
        ...sshKeyProblems(`${place}.jump`, jump as PlainSsh | undefined),
    ];
}

/** Checks that every machine has a way to log in. `agent` is the value of SSH_AUTH_SOCK, if it is set. */
export function loginProblems(args: PlainArgs, agent: string | undefined): Problem[] {
    const { infrastructure, storage } = args;
    const { hosts } = infrastructure;
    const groups = [
        ["controlPlane", hosts?.controlPlane] as const,
        ...Object.entries(hosts?.pools ?? {}).map(([pool, machines]) => [`pools.${pool}`, machines] as const),
    ];
    const places = groups.flatMap(([group, machines]) =>
        Object.entries(machines ?? {}).map(([node, { ssh }]) => ({
            place: `infrastructure.hosts.${group}.${node}.ssh`,
            login: { ...hosts?.ssh, ...ssh } as PlainSsh,
            own: ssh !== undefined,
        })),
    );
    const server = storage?.server;
    if (server && "address" in server && server.flavor === undefined) {
        const login = { ...hosts?.ssh, ...server.ssh } as PlainSsh;
        places.push({ place: "storage.server.ssh", login, own: server.ssh !== undefined || hosts === undefined });
    }
    const said = places.flatMap(({ place, login, own }) =>
        lacking(own ? place : "infrastructure.hosts.ssh", login, agent),
    );
    // Machines without their own settings all report the same problem; keep it once.
    return [...new Map(said.map(problem => [problem.join(), problem])).values()];
}

/** What is missing to log in. `agent`: the value of SSH_AUTH_SOCK, if it is set. */
export function lacking(place: string, login: PlainSsh, agent: string | undefined): Problem[] {
    const jump = login.jump ? lacking(`${place}.jump`, login.jump as PlainSsh, agent) : [];
    // `in`: a value that is not known yet counts as given.
    if (["privateKey", "password"].some(way => way in login)) return jump;
    if ("agent" in login && login.agent !== "env") return jump;
    if (agent) return jump;
    const why = "agent" in login ? 'agent is "env" and' : "privateKey, agent and password are missing, and";
    return [...jump, [place, `there is nothing to log in with: ${why} SSH_AUTH_SOCK names no running agent`]];
}

/** The keys and certificates in a cluster's arguments. */
export const credentialRules: Rule<PlainArgs>[] = [
    ({ infrastructure }) => sshKeyProblems("infrastructure.hosts.ssh", infrastructure.hosts?.ssh),
    ({ infrastructure: { hosts } }) =>
        Object.entries({ controlPlane: hosts?.controlPlane, ...prefixed(hosts?.pools) }).flatMap(([group, machines]) =>
            Object.entries(machines ?? {}).flatMap(([node, { ssh }]) =>
                sshKeyProblems(`infrastructure.hosts.${group}.${node}.ssh`, ssh as PlainSsh | undefined),
            ),
        ),
    ({ infrastructure: { heat, nova } }) => [
        ...sshKeyProblems("infrastructure.heat.ssh", heat?.ssh as PlainSsh | undefined),
        ...sshKeyProblems("infrastructure.nova.ssh", nova?.ssh as PlainSsh | undefined),
    ],
    args => loginProblems(args, process.env["SSH_AUTH_SOCK"]),
];

function prefixed<T>(pools: Record<string, T> | undefined): Record<string, T> {
    return Object.fromEntries(Object.entries(pools ?? {}).map(([pool, machines]) => [`pools.${pool}`, machines]));
}
