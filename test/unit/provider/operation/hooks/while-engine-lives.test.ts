import assert from "node:assert/strict";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { asked, whileEngineLives } from "../../../../../provider/operation/hooks/while-engine-lives";

describe("work that ends with the engine", () => {
    let engine: Server;
    let address: string;
    const { everyMs } = asked;
    before(() => {
        asked.everyMs = 100;
    });
    after(() => {
        asked.everyMs = everyMs;
    });
    beforeEach(async () => {
        engine = createServer(socket => socket.destroy());
        await new Promise<void>(resolve => engine.listen(0, "127.0.0.1", resolve));
        const { port } = engine.address() as { port: number };
        address = `127.0.0.1:${port}`;
    });
    afterEach(() => engine.close());
    const gone = () => new Promise(resolve => engine.close(resolve));

    it("returns its result, or its error, while the engine lives; without one, too", async () => {
        const end = () => assert.fail("the engine lives");
        for (const at of [address, undefined]) {
            assert.equal(await whileEngineLives(at, async () => 5, end), 5);
            await assert.rejects(
                whileEngineLives(at, () => Promise.reject(new Error("x")), end),
                /^Error: x$/,
            );
        }
        assert.equal(await whileEngineLives(address, () => sleep(350, 6), end), 6);
    });

    it("ends this process within seconds when the engine is gone", async () => {
        let ended = 0;
        const end = () => {
            ended += 1;
        };
        const work = whileEngineLives(address, () => sleep(450), end);
        await gone();
        await work;
        assert.ok(ended >= 1);
    });

    it("ends it before the work begins, if the engine was killed before", async () => {
        await gone();
        const events: string[] = [];
        await whileEngineLives(
            address,
            async () => {
                events.push("work");
            },
            () => {
                events.push("end");
            },
        );
        assert.equal(events[0], "end");
    });
});
