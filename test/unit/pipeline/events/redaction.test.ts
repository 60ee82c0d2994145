import { deepStrictEqual, doesNotMatch, match, ok, strictEqual } from "node:assert/strict";
import { randomBytes } from "node:crypto";
import type { PipelineEvent } from "../../../../pipeline/events/events";
import { EventReader, toLine } from "../../../../pipeline/events/read-events";
import { withoutSecrets } from "../../../../pipeline/events/redaction";
import { secretsIn, secretsInState } from "../../../../pipeline/events/secrets";
import { htmlReport } from "../../../../pipeline/page/html";
import { junitReport } from "../../../../pipeline/report/junit";
import { markdownReport } from "../../../../pipeline/report/markdown";
import { packSecrets } from "../../../../provider/contract/packed";

const random = (length: number) => `a1${randomBytes(length).toString("hex")}`.slice(0, length);
const lines = Array.from({ length: 40 }, () => randomBytes(48).toString("base64"));
const begin = "-----BEGIN RSA PRIVATE KEY-----";
const end = "-----END RSA PRIVATE KEY-----";

/** What other programs print, and the part of it that must not show. */
const printed: Record<string, { text: string; canary: string }> = Object.fromEntries(
    [
        ["a private key", (_: string) => `${begin}\n${lines.join("\n")}\n${end}`, lines[20]!],
        [
            "the end of a private key",
            (_: string) => `reading\n  ${lines.slice(5).join("\n  ")}\n  ${end}\ndone`,
            lines[20]!,
        ],
        ["a private key within JSON", (key: string) => JSON.stringify({ key: `${begin}\n${key}\n${end}` }), random(64)],
        [
            "a private key in base64",
            (key: string) =>
                `client-key-data: ${Buffer.from(`${begin}\n${lines.join("\n")}`).toString("base64")}${key}`,
            random(40),
        ],
        ["a bearer token", (key: string) => `> Authorization: Bearer ${key}\n> Accept: */*`, random(40)],
        ["a login in a header", (key: string) => `curl -H "Authorization: Basic ${key}" https://h/`, random(24)],
        ["a login in an address", (key: string) => `GET https://admin:${key}@harbor.site/v2/ failed`, random(8)],
        ["a token of Keystone", (key: string) => `X-Auth-Token: gAAAAA${key}${key}`, random(60)],
        ["a bootstrap token", (key: string) => `kubeadm join --token abcdef.${key}`, random(16)],
        ["a variable", (key: string) => `OS_PASSWORD=${key} OS_REGION_NAME=r1`, random(12)],
        ["a field", (key: string) => `{"client_secret": "${key}", "id": 1}`, random(20)],
    ].map(([name, text, canary]) => [
        name as string,
        { text: (text as (key: string) => string)(canary as string), canary: canary as string },
    ]),
);

const time = "2026-11-27T00:00:00.000Z";
const begun = { type: "node", time, node: "w1", resource: "Node", act: "create", state: "begin" } as const;
const events = (text: string): PipelineEvent[] => [
    begun,
    { ...begun, state: "failed", seconds: 3 },
    { type: "error", time, code: "STEP_FAILED", node: "w1", step: text, text, hint: text },
    { type: "message", time, severity: "warning", node: "w1", text },
    { type: "operation", time, cluster: "core", text },
];
const reports = { markdown: markdownReport, junit: junitReport, html: htmlReport };

describe("a secret of the configuration", () => {
    const clean = (secret: string, text: string) =>
        new EventReader(secretsIn({ a: { value: secret, secret: true } }, {})).clean(text);
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    const secret = 'p"s ß/w\\rd12';
    const rows: [string, string, string, string][] = [
        ["that was read from a file with a line's end", "correcthorse\n", "is correcthorse", "is ***"],
        ["in base64", secret, `data: ${base64(secret)}`, "***"],
        ["in base64 with a line's end", secret, base64(`${secret}\n`), "***"],
        ["in base64, with more behind it", "correcthorse1", base64("correcthorse1:more"), "***"],
        ["in JSON", secret, JSON.stringify({ a: secret }), '{"a":"***"}'],
        ["in an address", secret, `http://h/?q=${encodeURIComponent(secret)}&b`, "http://h/?q=***&b"],
        ["in a file with settings", "clouds:\n  - password: correct1\n", "says correct1", "says ***"],
        [
            "in lines that are printed without their indent",
            "a:\n    line: 0123456789abc\n",
            "line: 0123456789abc",
            "***",
        ],
    ];
    for (const [name, value, text, expected] of rows)
        it(`${name} does not pass`, () => {
            const cleaned = clean(value, text);
            ok(cleaned.includes("***"), cleaned);
            if (expected !== "***") strictEqual(cleaned, expected);
            else ok(cleaned.length < text.length - 6, cleaned);
        });

    it("does not pass where the environment has it under another usual name", () => {
        const names = ["DB_PASS", "DB_PWD", "REGISTRY_API_KEY", "AWS_ACCESS_KEY", "db_password", "SITE_KEY"];
        for (const name of names)
            deepStrictEqual(secretsIn({}, { [name]: "correcthorse12345" }), ["correcthorse12345"], name);
        deepStrictEqual(secretsIn({}, { PWD: "/home/nfv/site", SSH_KEY: "/home/nfv/.ssh/id_rsa" }), []);
    });
});

describe("what other programs print", () => {
    for (const [name, { text, canary }] of Object.entries(printed)) {
        it(`passes without ${name} into the stream, and of events that others wrote into no report`, () => {
            ok(text.includes(canary));
            const diagnosticEvent = { severity: "error", message: text, color: "never", urn: "", prefix: "" };
            const read = new EventReader().read({ sequence: 1, timestamp: 1, diagnosticEvent } as never);
            ok(read.length > 0);
            strictEqual(read.map(toLine).join("\n").includes(canary), false, "stream");
            for (const [kind, report] of Object.entries(reports))
                strictEqual(report(events(text)).includes(canary), false, kind);
        });
    }

    it("stays readable: names, addresses, versions and what a person must know are no secrets", () => {
        const plain = [
            "token: invalid; secret default/upf-credentials not found",
            "GET https://10.0.0.100:16443/healthz: 403, user system:anonymous",
            "password: must not be empty; Secret upf-1 has no key token",
            `the certificate\n-----BEGIN CERTIFICATE-----\n${lines[0]}\n-----END CERTIFICATE-----`,
        ];
        for (const text of plain) strictEqual(withoutSecrets(text), text);
    });
});

describe("what the state knows as secret", () => {
    const secret = (value: unknown) => ({
        "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
        plaintext: JSON.stringify(value),
    });
    const token = random(32);
    const inKey = randomBytes(36).toString("base64");
    const found = secretsInState({
        version: 3,
        deployment: {
            resources: [
                { type: "random:index/randomPassword:RandomPassword", outputs: { result: secret(token) } },
                {
                    outputs: {
                        site: secret({ host: "10.0.0.11", user: "debian", url: "https://10.0.0.100:16443", n: 5 }),
                    },
                },
                { inputs: { deep: [{ key: secret({ pem: `${begin}\n${inKey}\n${end}\n` }) }] } },
                { outputs: { plain: token.replace("a1", "b2") } },
            ],
        },
    });

    it("leaves the texts of others' resources, too, also line by line", () => {
        const reader = new EventReader(found);
        const text = reader.clean(`RandomPassword says ${token}; then ${inKey}`);
        strictEqual(text, "RandomPassword says ***; then ***");
    });

    it("takes no address, name or other value that messages need, and nothing that is no secret", () => {
        deepStrictEqual(
            found.filter(value => !value.includes(inKey) && value !== token),
            [],
        );
        doesNotMatch(found.join("\n"), /debian|10\.0\.0/);
        match(found.join("\n"), new RegExp(token));
        deepStrictEqual(secretsInState(undefined), []);
    });

    it("takes no path of a hook's file or package: plans name it", () => {
        const hooks = {
            clusterName: "core",
            list: [
                {
                    name: "mgmt",
                    files: ["./vnf-packages/core-v2"],
                    tacker: { newPackage: "/srv/vnf/core-v3/Definitions" },
                },
                { name: "dns", files: ["hooks/dns-2024/zone1.ts"], parameters: { path: token, files: [token] } },
            ],
        };
        const taken = secretsInState({ resources: [{ inputs: { hooks: secret(hooks) } }] });
        deepStrictEqual(taken, [token]);
        const said = `1. scale_end: mgmt (tacker ./vnf-packages/core-v2, 6f1ed002ab55) on this machine`;
        strictEqual(new EventReader(taken).clean(said), said);
    });

    it("takes passwords from machines' inputs, which are stored as one text, and no name that the state has in clear", () => {
        const password = `short-${random(6)}`;
        const secrets = packSecrets([
            [
                ["connection"],
                { host: "10.0.0.11", user: "debian", password, privateKey: `${begin}\n${inKey}\n${end}\n` },
            ],
            [["fingerprintKey"], token],
            [["spec", "proxy", "password"], `p-${password}`],
        ]);
        const name = "userplane-workers-1";
        const taken = secretsInState({
            resources: [
                {
                    inputs: {
                        spec: JSON.stringify({ name, host: "node1.site.example.com" }),
                        secrets: secret(secrets),
                    },
                },
                { inputs: { controlPlane: secret([{ name, connection: { host: "node1.site.example.com" } }]) } },
            ],
        });
        for (const each of [password, `p-${password}`, inKey, token]) ok(taken.includes(each), each);
        const single = taken.filter(text => !text.startsWith("{"));
        doesNotMatch(single.join("\n"), /userplane|example\.com|debian|10\.0\.0/);
    });
});
