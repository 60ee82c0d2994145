import assert from "node:assert/strict";
import { utils } from "ssh2";
import { newKeyPair } from "../../../testing";

describe("keys for tests", () => {
    it("can always be read: the malformed ones that ssh2 makes now and then are not given out", () => {
        for (let i = 0; i < 500; i++) {
            const { private: text } = newKeyPair();
            assert.ok(!(utils.parseKey(text) instanceof Error), text);
        }
    });
});
