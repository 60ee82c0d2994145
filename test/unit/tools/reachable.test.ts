import { strict as assert } from "node:assert";
import { type AddressInfo, createServer } from "node:net";
import { forgetServers, unreachable } from "../../../tools/reachable";

describe("asking whether a server can be reached", () => {
    beforeEach(forgetServers);

    it("asks each server once, however many files are wanted from it", async () => {
        let connections = 0;
        const server = createServer(socket => {
            connections += 1;
            socket.destroy();
        });
        await new Promise<void>(done => server.listen(0, "127.0.0.1", done));
        const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/a`);
        try {
            assert.deepEqual(await Promise.all([unreachable(url), unreachable(new URL("/b", url))]), [
                undefined,
                undefined,
            ]);
            assert.equal(await unreachable(url), undefined);
            await new Promise(setImmediate);
            assert.equal(connections, 1);
        } finally {
            server.close();
        }
    });

    it("gives the reason, and within the time given", async () => {
        assert.match((await unreachable(new URL("http://127.0.0.1:1/"))) ?? "", /ECONNREFUSED/);
        const started = Date.now();
        assert.match((await unreachable(new URL("https://release.invalid/"), 1)) ?? "", /release\.invalid:443/);
        assert.ok(Date.now() - started < 2000);
    });
});
