import { strict as assert } from "node:assert";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { examineTools } from "../../../tools/doctor";
import { main } from "../../../tools/nfv";
import { scratch } from "./scratch";

describe("nfv doctor", () => {
    const { folder, set } = scratch();

    it("says what does not work without a tool that cannot be had", async () => {
        const findings = await examineTools({ sources: ["modules"] });
        const plugin = findings.find(finding => finding.tool === "Pulumi plugin kubernetes");
        assert.match(plugin?.switchesOff ?? "", /Cnf/);
    });

    it("fetches and builds nothing", async () => {
        await examineTools();
        assert.equal(existsSync(join(folder(), "cache")), false);
    });

    it("says how a tool could be had", async () => {
        const pulumi = async () => (await examineTools({ sources: ["download"] }))[0]!;
        assert.match((await pulumi()).detail, /no official sum of pulumi-v.* is known \(PULUMI_NFV_TRUST_.*=yes takes/);
        set("PULUMI_NFV_TRUST_UNPINNED_DOWNLOADS", "yes");
        assert.match((await pulumi()).detail, /can be downloaded from .* \(not tried\)/);
        assert.equal((await pulumi()).switchesOff, undefined);
    });
});

describe("nfv", () => {
    const said: string[] = [];
    const original = console.error;
    beforeEach(() => {
        said.splice(0);
        console.error = (line: string) => said.push(line);
    });
    afterEach(() => {
        console.error = original;
    });

    for (const argv of [
        ["frobnicate"],
        ["bundle", "--kubernets", "1.34.4"],
        ["bundle", "stray"],
        ["bundle", "--kubernetes", "1.34"],
        ["verify"],
    ]) {
        it(`answers "${argv.join(" ")}" with exit code 2 and what to do`, async () => {
            const code = await main(argv);
            console.error = original;
            assert.equal(code, 2);
            assert.match(said.join("\n"), /INVALID_INPUT/);
        });
    }
});
