import assert from "node:assert/strict";
import { parse } from "yaml";
import { hostKeyOf } from "../../../../provider/openstack/host-key";
import { type UserDataParts, userData } from "../../../../provider/openstack/user-data";

const hostKey = hostKeyOf(Buffer.alloc(32, 7).toString("base64"), "core-workers-1");
const publicKey = "ssh-ed25519 AAAA";
const make = (changes: Partial<UserDataParts> = {}) =>
    userData({ name: "core-workers-1", hostKey, publicKey, user: "nfv", ...changes });
const config = (own?: string) => parse(make({ own }), { version: "1.1" });

describe("user data of servers", () => {
    it("names the host, injects the one host key, and lets a user of ours in by key only", () => {
        const text = make();
        assert.ok(text.startsWith("#cloud-config\n"));
        const { users, ...rest } = parse(text);
        assert.deepEqual(rest, {
            hostname: "core-workers-1",
            fqdn: "core-workers-1",
            preserve_hostname: false,
            ssh_deletekeys: true,
            ssh_keys: { ed25519_private: hostKey.privateKey, ed25519_public: hostKey.publicKey },
            ssh_pwauth: false,
        });
        const [image, ours] = users;
        assert.equal(image, "default", "the image's own user stays");
        const { name, sudo, lock_passwd: locked, ssh_authorized_keys: keys } = ours;
        assert.deepEqual(
            { name, sudo, locked, keys },
            { name: "nfv", sudo: "ALL=(ALL) NOPASSWD:ALL", locked: true, keys: [publicKey] },
        );
    });

    it("makes no user where the login is given", () => {
        assert.equal(parse(make({ user: undefined, publicKey: undefined })).users, undefined);
    });

    it("is the same text for the same parts", () => {
        assert.equal(
            make({ own: "#cloud-config\npackages: [vim]\n" }),
            make({ own: "#cloud-config\npackages: [vim]\n" }),
        );
    });

    it("adds the user's lists to ours, and keeps modules that we do not speak of", () => {
        const merged = config(
            "#cloud-config\nusers:\n  - default\n  - name: operator\nruncmd: [[touch, /tmp/x]]\nntp: {enabled: yes}\n",
        );
        assert.deepEqual(
            merged.users.map((each: string | { name: string }) => (typeof each === "string" ? each : each.name)),
            ["default", "nfv", "operator"],
        );
        assert.deepEqual(merged.runcmd, [["touch", "/tmp/x"]]);
        assert.deepEqual(merged.ntp, { enabled: true });
    });

    it("wins where both say something: name, host key, passwords", () => {
        const merged = config(
            "#cloud-config\nhostname: other\nssh_pwauth: true\nssh_keys: {ed25519_private: theirs}\n",
        );
        assert.equal(merged.hostname, "core-workers-1");
        assert.equal(merged.ssh_pwauth, false);
        assert.equal(merged.ssh_keys.ed25519_private, hostKey.privateKey);
    });

    for (const [what, own, message] of [
        ["a script", "#!/bin/sh\necho hello\n", /must begin with the line "#cloud-config", not with "#!\/bin\/sh"/],
        ["YAML without the first line", "packages: [vim]\n", /must begin with the line "#cloud-config"/],
        ["broken YAML, without quoting it", "#cloud-config\npassword: [secret\n", /userData: no YAML in line \d/],
        ["a list", "#cloud-config\n- a\n", /must be a mapping/],
        ["users that are no list", "#cloud-config\nusers: {a: b}\n", /users must be a list/],
    ] as const) {
        it(`refuses ${what}`, () => {
            assert.throws(
                () => make({ own }),
                (error: Error) => {
                    assert.match(error.message, /^core-workers-1: INVALID_INPUT/);
                    assert.match(error.message, message);
                    assert.doesNotMatch(error.message, /secret/);
                    return true;
                },
            );
        });
    }

    it("refuses what Nova would not take", () => {
        const large = (bytes: number) => `#cloud-config\nbootcmd: ["${"x".repeat(bytes)}"]\n`;
        assert.doesNotThrow(() => make({ own: large(47_000) }));
        assert.throws(() => make({ own: large(49_000) }), /bytes as base64, a server gets 65535 at the most/);
    });
});
