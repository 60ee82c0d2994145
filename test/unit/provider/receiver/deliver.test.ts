import assert from "node:assert/strict";
import { createAuthority } from "../../../../provider/identity/certificates";
import { type Delivery, deliver, deliveryPauses } from "../../../../provider/receiver/deliver";
import { Receiver } from "../../../support/receiver";

describe("a report to a server of the user's", () => {
    let receiver: Receiver;
    let said: string[];
    const usual = { ...deliveryPauses };

    const delivery = (changes: Partial<Delivery> = {}): Delivery => ({
        url: receiver.url,
        caCertificate: receiver.authority,
        token: "canary-bearer-token",
        idempotencyKey: "k1",
        body: { kubeconfig: "canary-secret-of-a-cluster" },
        secrets: ["canary-secret-of-a-cluster"],
        timeoutSeconds: 10,
        ...changes,
    });
    const send = (changes?: Partial<Delivery>, signal?: AbortSignal) =>
        deliver(delivery(changes), text => void said.push(text), signal);
    const refused = async (changes?: Partial<Delivery>) => {
        const error = (await send(changes).then(
            () => undefined,
            failed => failed,
        )) as (Error & { code: string; reason: string }) | undefined;
        assert.ok(error, "it was not refused");
        assert.doesNotMatch([error.message, error.stack, ...said].join("\n"), /canary/);
        return error;
    };

    beforeEach(async () => {
        Object.assign(deliveryPauses, { firstSeconds: 0.05, longestSeconds: 0.1, attemptSeconds: 10 });
        said = [];
        receiver = await Receiver.start();
    });
    afterEach(async () => {
        Object.assign(deliveryPauses, usual);
        await receiver.close();
    });

    it("is a POST with JSON, its key and the token", async () => {
        await send();
        const [{ headers, body, path }] = receiver.received as [Receiver["received"][number]];
        assert.deepEqual(
            [path, headers["content-type"], headers["idempotency-key"], headers.authorization, body],
            ["/credentials", "application/json", "k1", "Bearer canary-bearer-token", delivery().body],
        );
    });

    it("without a token has no authorization", async () => {
        await send({ token: undefined as never });
        assert.equal(receiver.received[0]!.headers.authorization, undefined);
    });

    it("is repeated with the same key after errors that pass: 500 twice, then 200", async () => {
        receiver.answers = [{ status: 500, text: "database away" }, { status: 500 }, { status: 200 }];
        await send();
        assert.deepEqual(
            receiver.received.map(({ headers }) => headers["idempotency-key"]),
            ["k1", "k1", "k1"],
        );
        assert.match(said[0]!, /answered 500: database away; next attempt in 0\.05 s/);
    });

    it("waits as long as the server asks for, and not beyond its own time", async () => {
        receiver.answers = [{ status: 503, headers: { "retry-after": "100" } }];
        assert.match((await refused()).reason, /answered 503/);
        assert.equal(receiver.received.length, 1);
    });

    it("is repeated after no answer", async () => {
        deliveryPauses.attemptSeconds = 0.5;
        receiver.answers = ["silent"];
        await send();
        assert.equal(receiver.received.length, 2);
        assert.match(said[0]!, /no answer in time/);
    });

    it("fails while nothing listens, after its time", async () => {
        await receiver.close();
        const begun = Date.now();
        const { code, reason } = await refused({ timeoutSeconds: 0.5 });
        assert.equal(code, "RECEIVER_UNREACHABLE");
        assert.match(reason, /ECONNREFUSED/);
        assert.ok(Date.now() - begun >= 300 && said.length > 1, said.join());
    });

    it("is refused with the server's words, at once", async () => {
        receiver.answers = [{ status: 422, text: "no cluster\n of that \u001b[31mname" }];
        const { code, reason } = await refused();
        assert.equal(code, "RECEIVER_REFUSED");
        assert.match(reason, /answered 422: no cluster of that \[31mname$/);
        assert.equal(receiver.received.length, 1);
    });

    for (const echo of ["got canary-secret-of-a-cluster", "got ...-secret-of-a-cl", "your token canary-bearer-token"])
        it(`does not show an answer that repeats a secret: ${echo.slice(4, 12)}`, async () => {
            receiver.answers = [{ status: 400, text: echo }];
            assert.match((await refused()).reason, /answered 400: its answer repeats a part/);
        });

    it("does not follow a redirect", async () => {
        receiver.answers = [{ status: 307, headers: { location: "https://127.0.0.1:1/other" } }];
        const { message } = await refused();
        assert.match(message, /answered 307: https:\/\/127\.0\.0\.1:1\/other[\s\S]*Redirects are not followed/);
    });

    it("does not show what is in the query of its URL", async () => {
        receiver.answers = [{ status: 400 }];
        await refused({ url: `${receiver.url}?key=canary` });
        assert.equal(receiver.received[0]!.path, "/credentials?key=canary");
    });

    for (const [title, trust] of [
        ["another authority's", async () => (await createAuthority("other", 1)).certificate],
        ["no known authority's", async () => undefined],
    ] as const)
        it(`does not write a byte to a server with ${title} certificate`, async () => {
            const { code, message } = await refused({ caCertificate: (await trust()) as never });
            assert.equal(code, "RECEIVER_UNREACHABLE");
            assert.match(message, /Its certificate does not fit/);
            assert.deepEqual([receiver.bytes, receiver.received.length, said], [0, 0, []]);
        });

    it("does not write a byte to a server whose certificate has another name", async () => {
        const { message } = await refused({ url: receiver.url.replace("127.0.0.1", "localhost") });
        assert.match(message, /Its certificate does not fit/);
        assert.equal(receiver.bytes, 0);
    });

    it("ends with the run", async () => {
        receiver.answers = ["silent", "silent", "silent", "silent"];
        const stop = new AbortController();
        const sent = send({}, stop.signal);
        setTimeout(() => stop.abort(new Error("stopped")), 100);
        await assert.rejects(sent, /stopped|aborted/);
        assert.equal(receiver.received.length, 1);
    });
});
