import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NfvError } from "../../../../provider/common/errors";
import { authRequest } from "../../../../provider/openstack/auth";
import { findCloud } from "../../../../provider/openstack/cloud-config";
import type { CloudSettings } from "../../../../provider/openstack/settings";

const secret = "Xy-secret-99";

const lab = `
clouds:
  lab:
    auth: {auth_url: "http://keystone:5000", username: demo, password: ${secret}, project_name: demo, user_domain_name: Default, project_domain_name: Default}
    region_name: RegionOne
    interface: internal
  other:
    auth: {auth_url: "http://other:5000/v3/"}
`;

describe("the cloud's configuration", () => {
    let folder: string;
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "clouds-"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    const write = (name: string, text: string) => {
        mkdirSync(join(folder, name, ".."), { recursive: true });
        writeFileSync(join(folder, name), text);
        return join(folder, name);
    };
    const find = (settings: CloudSettings = {}, env: Record<string, string> = {}, folders = ["here", "home", "etc"]) =>
        findCloud(settings, { env, folders: folders.map(name => join(folder, name)) });
    const failure = (act: () => unknown): NfvError => {
        try {
            act();
        } catch (error) {
            assert.ok(error instanceof NfvError);
            assert.ok(!JSON.stringify([error.message, error]).includes(secret), "a secret is shown");
            return error;
        }
        throw new Error("nothing was thrown");
    };

    it("has the values of its region, as openstacksdk merges them", () => {
        const auth = `{username: demo, password: ${secret}, project_name: demo, user_domain_name: Default, project_domain_name: Default}`;
        const region = (name: string) =>
            `{name: ${name}, values: {interface: internal, auth: {auth_url: "http://${name}:5000"}}}`;
        write(
            "home/clouds.yaml",
            `clouds: {lab: {auth: ${auth}, regions: [a, ${region("north")}, ${region("south")}]}}\n`,
        );
        const cloud = find({ cloud: "lab", region: "south" });
        assert.deepEqual([cloud.authUrl, cloud.interface, cloud.region], ["http://south:5000/v3", "internal", "south"]);
        assert.equal(find({ cloud: "lab" }, { OS_REGION_NAME: "north" }).authUrl, "http://north:5000/v3");
        assert.match(failure(() => find({ cloud: "lab", region: "a" })).message, /auth_url/);
    });

    it("is the named cloud of clouds.yaml, in Keystone's own words", () => {
        write("home/clouds.yaml", lab);
        const cloud = find({ cloud: "lab" });
        assert.equal(cloud.authUrl, "http://keystone:5000/v3");
        assert.equal(cloud.region, "RegionOne");
        assert.equal(cloud.interface, "internal");
        assert.equal(cloud.insecure, false);
        assert.deepEqual(authRequest(cloud.credentials), {
            auth: {
                identity: {
                    methods: ["password"],
                    password: { user: { name: "demo", domain: { name: "Default" }, password: secret } },
                },
                scope: { project: { name: "demo", domain: { name: "Default" } } },
            },
        });
    });

    const precedence: [
        string,
        CloudSettings,
        Record<string, string>,
        (c: ReturnType<typeof find>) => unknown,
        unknown,
    ][] = [
        [
            "the program's cloud comes before OS_CLOUD",
            { cloud: "lab" },
            { OS_CLOUD: "other" },
            c => c.authUrl,
            "http://keystone:5000/v3",
        ],
        [
            "OS_CLOUD comes before OS_AUTH_URL",
            {},
            { OS_CLOUD: "lab", OS_AUTH_URL: "http://env:5000" },
            c => c.authUrl,
            "http://keystone:5000/v3",
        ],
        [
            "the program's authUrl comes before clouds.yaml",
            { cloud: "lab", authUrl: "http://mine/identity" },
            {},
            c => c.authUrl,
            "http://mine/identity/v3",
        ],
        ["OS_REGION_NAME comes before clouds.yaml", { cloud: "lab" }, { OS_REGION_NAME: "Env" }, c => c.region, "Env"],
        [
            "the program's region comes before OS_REGION_NAME",
            { cloud: "lab", region: "Mine" },
            { OS_REGION_NAME: "Env" },
            c => c.region,
            "Mine",
        ],
        [
            "OS_INTERFACE comes before clouds.yaml",
            { cloud: "lab" },
            { OS_INTERFACE: "adminURL" },
            c => c.interface,
            "admin",
        ],
        [
            "the program's interface comes first",
            { cloud: "lab", interface: "public" },
            { OS_INTERFACE: "admin" },
            c => c.interface,
            "public",
        ],
        [
            "variables fill what clouds.yaml leaves out",
            { cloud: "other" },
            { OS_USERNAME: "u", OS_PASSWORD: "p", OS_PROJECT_ID: "42" },
            c => c.credentials,
            { kind: "password", user: { name: "u", domain: { id: "default" }, password: "p" }, project: { id: "42" } },
        ],
        [
            "a project's id in a variable does not replace its name in clouds.yaml",
            { cloud: "lab" },
            { OS_PROJECT_ID: "42" },
            c => (c.credentials as { project: object }).project,
            { name: "demo", domain: { name: "Default" } },
        ],
        [
            "an application credential in variables does not replace a user in clouds.yaml",
            { cloud: "lab" },
            { OS_APPLICATION_CREDENTIAL_ID: "a", OS_APPLICATION_CREDENTIAL_SECRET: "s" },
            c => c.credentials.kind,
            "password",
        ],
    ];
    for (const [promise, settings, env, read, expected] of precedence) {
        it(`${promise}`, () => {
            write("home/clouds.yaml", lab);
            assert.deepEqual(read(find(settings, env)), expected);
        });
    }

    it("is looked for in OS_CLIENT_CONFIG_FILE, then here, then at home, then in /etc", () => {
        const of = (url: string) => `clouds: {lab: {auth: {auth_url: "http://${url}", token: t}}}`;
        write("etc/clouds.yaml", of("etc"));
        assert.equal(find({ cloud: "lab" }).authUrl, "http://etc/v3");
        write("home/clouds.yml", of("home"));
        assert.equal(find({ cloud: "lab" }).authUrl, "http://home/v3");
        write("here/clouds.yaml", of("here"));
        assert.equal(find({ cloud: "lab" }).authUrl, "http://here/v3");
        const file = write("elsewhere/my.yaml", of("elsewhere"));
        assert.equal(find({ cloud: "lab" }, { OS_CLIENT_CONFIG_FILE: file }).authUrl, "http://elsewhere/v3");
    });

    it("takes secrets from secure.yaml", () => {
        write("here/clouds.yaml", lab.replace(`password: ${secret}, `, ""));
        assert.match(failure(() => find({ cloud: "lab" })).reason, /lack password/);
        write("home/secure.yaml", `clouds: {lab: {auth: {password: ${secret}}}}`);
        const { credentials } = find({ cloud: "lab" });
        assert.ok(credentials.kind === "password" && credentials.user.password === secret);
    });

    const kinds: [string, Record<string, string>, unknown][] = [
        [
            "an application credential by id",
            { OS_APPLICATION_CREDENTIAL_ID: "a", OS_APPLICATION_CREDENTIAL_SECRET: secret },
            { kind: "applicationCredential", id: "a", secret },
        ],
        [
            "an application credential by name",
            {
                OS_APPLICATION_CREDENTIAL_NAME: "ci",
                OS_APPLICATION_CREDENTIAL_SECRET: secret,
                OS_USERNAME: "u",
                OS_USER_DOMAIN_NAME: "d",
            },
            { kind: "applicationCredential", name: "ci", user: { name: "u", domain: { name: "d" } }, secret },
        ],
        ["a token", { OS_TOKEN: secret, OS_PROJECT_ID: "42" }, { kind: "token", token: secret, project: { id: "42" } }],
        [
            "a password with the names of old variables",
            { OS_USERNAME: "u", OS_PASSWORD: secret, OS_TENANT_NAME: "t", OS_DEFAULT_DOMAIN: "corp" },
            {
                kind: "password",
                user: { name: "u", domain: { id: "corp" }, password: secret },
                project: { name: "t", domain: { id: "corp" } },
            },
        ],
    ];
    for (const [what, env, expected] of kinds) {
        it(`comes from the environment alone: ${what}`, () => {
            assert.deepEqual(find({}, { OS_AUTH_URL: "https://k/v3", ...env }).credentials, expected);
        });
    }

    it("does not verify certificates only if clouds.yaml says so, and warns", () => {
        write("here/clouds.yaml", lab.replace("region_name", "verify: false\n    region_name"));
        const cloud = find({ cloud: "lab" });
        assert.equal(cloud.insecure, true);
        assert.match(cloud.warnings.join(), /verify: false/);
        assert.equal(find({}, { OS_AUTH_URL: "https://k", OS_TOKEN: "t", OS_INSECURE: "true" }).insecure, false);
    });

    it("reads the authority: settings, OS_CACERT, then cacert, also beside clouds.yaml", () => {
        const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
        write("here/clouds.yaml", lab.replace("region_name", "cacert: ca.pem\n    region_name"));
        write("here/ca.pem", pem("file"));
        const [env, given] = [write("env.pem", pem("env")), write("given.pem", pem("given"))];
        assert.equal(find({ cloud: "lab" }).ca, pem("file"));
        assert.equal(find({ cloud: "lab" }, { OS_CACERT: env }).ca, pem("env"));
        assert.equal(find({ cloud: "lab", caFile: given }, { OS_CACERT: env }).ca, pem("given"));
        const error = failure(() => find({ cloud: "lab", caFile: join(folder, "none.pem") }));
        assert.equal(error.code, "CLOUD_CONFIG_INVALID");
        assert.match(error.reason, /none\.pem, cannot be read/);
    });

    it("says what is missing, where it looked and what there is, never a secret", () => {
        assert.match(
            failure(() => find({ cloud: "lab" })).reason,
            /no clouds.yaml for the cloud "lab": looked in .*here/,
        );
        write("here/clouds.yaml", lab);
        assert.match(failure(() => find({ cloud: "lap" })).reason, /no cloud "lap", only "lab", "other"/);
        assert.match(failure(() => find()).hint, /has "lab", "other": set OS_CLOUD/);
        assert.match(
            failure(() => find({}, { OS_AUTH_URL: "keystone", OS_TOKEN: secret })).reason,
            /URL, got "keystone"/,
        );
        write("here/clouds.yaml", `clouds:\n  lab:\n    auth: {password: ${secret}, "a": [\n`);
        assert.match(failure(() => find({ cloud: "lab" })).reason, /clouds.yaml cannot be read: line \d+/);
        write(
            "here/clouds.yaml",
            `clouds: {lab: {auth_type: v3oidcpassword, auth: {auth_url: "http://k", password: ${secret}}}}`,
        );
        assert.match(failure(() => find({ cloud: "lab" })).reason, /"v3oidcpassword" is not known/);
    });
});
