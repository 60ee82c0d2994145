import assert from "node:assert/strict";
import { algorithmRounds, describeHostKey, parseHostKey } from "../../../../provider/ssh/host-keys";

const line = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
// Output of `ssh-keygen -lf` for it (the known key of a large code host).
const fingerprint = "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU";

describe("host keys", () => {
    it("are fingerprinted as ssh-keygen does", () => {
        assert.deepEqual(parseHostKey(line), { type: "ssh-ed25519", fingerprint });
        assert.deepEqual(parseHostKey(`${line} root@host\n`), { type: "ssh-ed25519", fingerprint });
        const blob = Buffer.from(line.split(" ")[1], "base64");
        assert.deepEqual(describeHostKey(blob), { text: line, fingerprint });
    });

    it("may be given as a fingerprint", () => {
        assert.deepEqual(parseHostKey(fingerprint), { fingerprint });
    });

    it("are refused in other forms, and when type and key do not belong together", () => {
        const wrong = ["", "SHA256:short", "MD5:00:11", "ssh-ed25519", line.replace("ed25519", "rsa"), "ssh-ed25519 A"];
        for (const text of wrong) {
            assert.throws(() => parseHostKey(text), { code: "INVALID_INPUT" }, text);
        }
    });

    it("of known type are asked for by type first, so that a host's other keys do not matter", () => {
        assert.deepEqual(algorithmRounds({ type: "ssh-rsa", fingerprint })[0], ["rsa-sha2-512", "rsa-sha2-256"]);
        assert.equal(algorithmRounds({ fingerprint }).length, 5);
        assert.equal(algorithmRounds(undefined).length, 1);
    });
});
