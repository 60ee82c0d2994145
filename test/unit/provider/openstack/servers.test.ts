import assert from "node:assert/strict";
import { lookAtServer } from "../../../../provider/openstack/console";
import { type ServerSight, serverError, verdictOf } from "../../../../provider/openstack/server-ready";
import { FakeCloud } from "./fake-cloud";

describe("a server that does not come up", () => {
    let cloud: FakeCloud;
    beforeEach(async () => {
        cloud = await FakeCloud.start();
    });
    afterEach(() => cloud.stop());

    const verdicts: [ServerSight, string][] = [
        [{ id: "1", status: "ACTIVE" }, "running"],
        [{ id: "1", status: "BUILD" }, "wait"],
        [{ id: "1", status: "HARD_REBOOT" }, "wait"],
        [{ id: "1", status: "ERROR" }, "hopeless"],
        [{ id: "1", status: "SHUTOFF" }, "hopeless"],
        [{ id: "1", gone: true }, "hopeless"],
    ];
    for (const [sight, verdict] of verdicts) {
        it(`is ${verdict} when ${sight.status ?? "it is gone"}`, () => assert.equal(verdictOf(sight), verdict));
    }

    it("is seen with its state, and the last lines of its console without colours and empty lines", async () => {
        cloud.routes["GET /compute/servers/1"] = {
            server: { id: "1", name: "w1", status: "ACTIVE", "OS-EXT-STS:task_state": null },
        };
        cloud.routes["POST /compute/servers/1/action"] = {
            output: "first\r\n\r\n\u001b[0;32m  OK  \u001b[0m Started sshd.\n\n[FAILED] cloud-final\n",
        };
        assert.deepEqual(await lookAtServer(cloud.client(), "1", 2), {
            id: "1",
            name: "w1",
            status: "ACTIVE",
            task: undefined,
            fault: undefined,
            console: "  OK   Started sshd.\n[FAILED] cloud-final",
        });
        assert.deepEqual(cloud.calls.at(-1)!.body, { "os-getConsoleOutput": { length: 4 } });
    });

    it("is seen also if the cloud shows no console, and if it is gone", async () => {
        cloud.routes["GET /compute/servers/1"] = {
            server: {
                id: "1",
                name: "w1",
                status: "ERROR",
                fault: { message: "No valid host was found. ", code: 500 },
            },
        };
        cloud.routes["POST /compute/servers/1/action"] = () => ({ status: 409 });
        const sight = await lookAtServer(cloud.client(), "1");
        assert.equal(sight.console, undefined);
        assert.equal(sight.fault, "No valid host was found. ");
        assert.deepEqual(await lookAtServer(cloud.client(), "2"), { id: "2", gone: true });
    });

    it("is explained: state, fault, what was tried, the console, and what to do", () => {
        const running = { id: "1", status: "ACTIVE", console: "a\nb" };
        const error = serverError("w1", running, 599.6, "10.0.0.1:22 does not answer");
        assert.equal(
            error.message,
            [
                "w1: SERVER_FAILED",
                "    the server 1 is ACTIVE after 600 s",
                "    10.0.0.1:22 does not answer",
                "    end of its console:",
                "    | a",
                "    | b",
                `    ${error.hint}`,
            ].join("\n"),
        );
        assert.match(error.hint, /security groups/);
        const full = serverError("w1", { id: "1", status: "ERROR", fault: "No valid host was found." }, 3);
        assert.match(full.reason, /is ERROR after 3 s\nfault: No valid host/);
        assert.match(full.hint, /anti-affinity.*pulumi up --refresh/);
        const broken = serverError("w1", { id: "1", status: "ERROR", fault: "Build of instance 1 aborted" }, 3);
        assert.match(broken.hint, /with nova pulumi up --replace <urn of the server>, with heat pulumi up --refresh/);
        assert.match(serverError("w1", { id: "1", gone: true }, 3).message, /no server 1 any more\n.*--refresh/);
        assert.match(serverError("w1", { id: "1", status: "BUILD", task: "spawning" }, 9).reason, /BUILD \(spawning\)/);
    });
});
