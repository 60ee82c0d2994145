import assert from "node:assert/strict";
import * as fc from "fast-check";
import { parse } from "yaml";
import { type CloudConfSpec, cloudConf } from "../../../../provider/cloud-provider/cloud-conf";
import { secretManifest } from "../../../../provider/cloud-provider/objects";

const access = {
    authUrl: "https://cloud.site:5000/v3",
    region: "one",
    applicationCredentialId: "id",
    applicationCredentialSecret: "secret",
};

/** Reads git's configuration format as the programs do, line by line; everything but sections and complete values is an error. */
function read(text: string): Record<string, Record<string, string>> {
    const sections: Record<string, Record<string, string>> = {};
    let current: Record<string, string> | undefined;
    for (const line of text.split("\n").filter(each => each !== "")) {
        const head = /^\[(\w+)\]$/.exec(line);
        if (head) {
            current = sections[head[1]!] = {};
            continue;
        }
        const [, key, value] = /^([a-z-]+) = (.*)$/s.exec(line) ?? assert.fail(`no line of cloud.conf: ${line}`);
        assert.ok(current && !(key! in current), key);
        current[key!] = value!.startsWith('"') ? unquoted(value!) : value!;
    }
    return sections;
}

const escapes: Record<string, string> = { "\\": "\\", '"': '"', n: "\n", t: "\t" };

function unquoted(value: string): string {
    let [text, escaped, closed] = ["", false, false];
    for (const character of value.slice(1)) {
        assert.ok(!closed, `something follows the closing quote: ${value}`);
        if (escaped) {
            assert.ok(character in escapes, `unknown escape \\${character}`);
            text += escapes[character];
            escaped = false;
        } else if (character === "\\") escaped = true;
        else if (character === '"') closed = true;
        else text += character;
    }
    assert.ok(closed && !escaped, `no closing quote: ${value}`);
    return text;
}

const withSecret = (applicationCredentialSecret: string): CloudConfSpec => ({
    access: { ...access, applicationCredentialSecret },
});

describe("cloud.conf", () => {
    it("says how to log in, and nothing that was not said", () => {
        assert.deepEqual(read(cloudConf({ access })), {
            Global: {
                "auth-url": "https://cloud.site:5000/v3",
                region: "one",
                "application-credential-id": "id",
                "application-credential-secret": "secret",
            },
        });
    });

    it("has load balancers and volumes in sections of their own, switches as words", () => {
        const text = cloudConf({
            access: { ...access, caCertificate: "PEM" },
            loadBalancer: { enabled: false, floatingNetworkId: "net", provider: "ovn" },
            blockStorage: { ignoreVolumeZone: true },
        });
        const { Global, LoadBalancer, BlockStorage } = read(text);
        assert.equal(Global!["ca-file"], "/etc/config/ca.crt");
        assert.deepEqual(LoadBalancer, { enabled: "false", "floating-network-id": "net", "lb-provider": "ovn" });
        assert.deepEqual(BlockStorage, { "ignore-volume-az": "true" });
        assert.match(text, /^enabled = false$/m);
    });

    it("holds any value as it is, or refuses it: none becomes another line, section or value", () => {
        const nasty = fc.oneof(
            fc.string({ unit: "binary", maxLength: 12 }),
            fc.string({
                unit: fc.constantFrom('"', "\\", "n", "\n", "\r", "]", "[", "#", ";", "=", " ", "\t", "x"),
                maxLength: 12,
            }),
        );
        fc.assert(
            fc.property(nasty, nasty, (secret, region) => {
                let text: string;
                try {
                    text = cloudConf({ access: { ...access, region, applicationCredentialSecret: secret } });
                } catch (error) {
                    assert.match((error as Error).message, /INVALID_INPUT/);
                    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
                    assert.match(secret + region, /[\u0000-\u001f\u007f\ufeff]/);
                    return;
                }
                const { Global, ...others } = read(text);
                assert.deepEqual(others, {});
                assert.equal(Global!["application-credential-secret"], secret);
                assert.equal(Global!["region"], region);
                assert.equal(Object.keys(Global!).length, 4);
            }),
        );
    });

    it("does not show a secret that it refuses", () => {
        assert.throws(
            () => cloudConf(withSecret("canary\n[Global]")),
            (error: Error) => /application-credential-secret/.test(error.message) && !/canary/.test(error.message),
        );
    });

    it("travels whole in its Secret, the authority beside it", () => {
        const caCertificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
        const spec = { access: { ...access, caCertificate } };
        const { kind, metadata, stringData } = parse(secretManifest(spec));
        assert.deepEqual([kind, metadata.namespace], ["Secret", "kube-system"]);
        assert.deepEqual(stringData, { "cloud.conf": cloudConf(spec), "ca.crt": caCertificate });
    });
});
