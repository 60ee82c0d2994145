import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refuseUnwritable, writeCheckReports } from "../../../../pipeline/commands/report-files";
import { withoutSecrets } from "../../../../pipeline/events/redaction";
import type { Found } from "../../../../tools/check/verdict";
import { main } from "../../../../tools/nfv";
import { threeMachines } from "../../provider/support/three-machines";

describe("the reports of nfv check", () => {
    const { make } = threeMachines();
    const file = join(tmpdir(), `nfv-check-${process.pid}`);
    afterEach(() => {
        for (const end of ["state", "xml", "sarif"]) rmSync(`${file}.${end}`, { force: true });
    });

    it("do not change its exit code where one cannot be written", async () => {
        const { host, node } = await make("m1");
        const connection = { ...host.outs.connection, privateKey: undefined, password: "wrong" };
        const resources = Object.entries({ Host: host, Node: node }).map(([type, { id, outs }]) => ({
            ...{ urn: `urn:pulumi:dev::p::pulumi-nodejs:dynamic/nfv:${type}::core-m1`, id },
            type: `pulumi-nodejs:dynamic/nfv:${type}`,
            outputs: { ...outs, connection },
        }));
        writeFileSync(`${file}.state`, JSON.stringify({ deployment: { resources } }));
        const argv = ["check", "--state", `${file}.state`, "--junit", `${file}.xml`, "--sarif", "/dev/full"];
        const writer = {
            refuse: async (files: object) => refuseUnwritable(files),
            write: async (found: readonly Found[], files: object) => writeCheckReports(found, files),
        };
        assert.equal(await main(argv, withoutSecrets, writer), 22);
        assert.match(readFileSync(`${file}.xml`, "utf8"), /failure type="unknown"/);
    });
});
