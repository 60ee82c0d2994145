import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { newKeyPair } from "../../../../testing";
import "../../../../provider/adapters/dynamic";
import { filterDebug, filterLoadedSdks, withoutValues } from "../../../../provider/adapters/sdk-debug";

const secret = "canary-4b1d";
const unshown = "values are not shown";

describe("debug messages of Pulumi's SDK", () => {
    const messages: Record<string, string> = {
        [`RegisterResource RPC finished: resource:a[b:c:D]; err: null, resp: urn:x,${secret},name: ${secret}`]: `RegisterResource RPC finished: resource:a[b:c:D], err: null, ${unshown}`,
        [`ReadResource RPC prepared: id=1, t=b:c:D, name=a, obj={"k":"${secret}"}`]: `ReadResource RPC prepared: id=1, t=b:c:D, name=a, ${unshown}`,
        [`getResource Invoke RPC finished: err: null, resp: ${secret}`]: `getResource Invoke RPC finished: err: null, ${unshown}`,
        // SDK 3.248 writes it before each invoke, whatever the log level.
        [`, obj={"k":"${secret}"}`]: unshown,
        // A field that no release has.
        [`RegisterResource RPC finished: resource:a[b:c:D]; answer: ${secret}`]: `RegisterResource RPC finished: resource:a[b:c:D], ${unshown}`,
    };
    for (const [message, shown] of Object.entries(messages)) {
        it(`shows no value: ${message.slice(0, 50)}…`, () => assert.equal(withoutValues(message), shown));
    }

    it("say what they said where they hold no value", () => {
        for (const message of [
            "RegisterResource RPC prepared: t=b:c:D, name=a",
            "Registering resource: t=b:c:D, name=a, custom=true, remote=false",
            "the program's own: resp: 1, obj=2",
        ]) {
            assert.equal(withoutValues(message), message);
        }
    });

    it("hold no private key, whoever wrote them", () => {
        const { private: key } = newKeyPair();
        assert.equal(withoutValues(`key: ${key.trim()}, more`), "key: (private key), more");
        assert.equal(withoutValues(`cut: ${key.slice(0, 90)}`), "cut: (private key)");
    });

    it("are filtered as soon as the package is loaded, and once", () => {
        const { debug } = pulumi.log;
        filterLoadedSdks();
        assert.equal(pulumi.log.debug, debug);
        assert.ok(Object.getOwnPropertySymbols(debug).length === 1);
    });

    it("are filtered in every copy of the SDK that a program has loaded", () => {
        const said: string[] = [];
        const other = { debug: (message: string) => said.push(message) };
        filterLoadedSdks({
            "/app/node_modules/x/node_modules/@pulumi/pulumi/log/index.js": { exports: other },
            "/app/log/index.js": { exports: { debug: "no function" } },
        });
        other.debug(`RegisterResource RPC finished: resource:a[b]; err: null, resp: ${secret}`);
        assert.deepEqual(said, [`RegisterResource RPC finished: resource:a[b], err: null, ${unshown}`]);
    });

    it("cannot pass unfiltered without a word: a log that lets nothing be put in its place is an error", () => {
        assert.throws(
            () => filterDebug(Object.freeze({ debug: () => {} })),
            /cannot be filtered.*use the release before/,
        );
    });
});
