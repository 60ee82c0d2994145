import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { noTackerSamples, tackerSamples } from "../../../../../../dev/tacker-samples";
import { NfvError } from "../../../../../../provider/common/errors";
import { runTackerScript } from "../../../../../../provider/operation/hooks/tacker/run-tacker-script";
import { readTackerPackage, type TackerPackage } from "../../../../../../provider/operation/hooks/tacker/vnfd";
import { skipIf } from "../../../../../support/skip";
import { factsOf } from "./fixtures";

const meta = "/TOSCA-Metadata/TOSCA.meta";
const files = noTackerSamples() ? [] : (readdirSync(tackerSamples, { recursive: true }) as string[]).sort();
const packages = files.filter(file => file.endsWith(meta)).map(file => file.slice(0, -meta.length));

/** Why flavours of packages are refused → how many are. */
const refusals: Record<string, [RegExp, number]> = {
    "Tacker's tests put the missing file in": [
        /TOSCA\.meta: the package has no file Definitions\/\w+(?:\.vnfd)?\.yaml\n/,
        21,
    ],
    "it is for version 1 of the API": [
        /Vnflcm\.\w+: the package has no file Definitions\/Scripts\/\w+\.py\n.*for version 1 of Tacker's API/,
        17,
    ],
    "its script is anywhere on Tacker's disk": [/Vnflcm\.\w+: \/opt\/stack\/\S+\/ansible\.py leaves the package\n/, 1],
    "its script is missing": [/Vnflcm\.\w+: the package has no file Scripts\/\w+\.py\n/, 2],
    "it has no flavour": [/Definitions: no file defines a deployment flavour\n/, 2],
};

/** Modules that come with Tacker. */
const ofTacker = /^(?:from|import) (tacker|oslo_\w+|paramiko)\b/m;
const hasTacker = spawnSync("python3", ["-c", "import tacker, oslo_log, paramiko"]).status === 0;

/** The flavours of a package, each as it was read, or the error. */
function flavoursOf(folder: string): (TackerPackage | NfvError)[] {
    const read = (flavour?: string) => {
        try {
            return readTackerPackage(join(tackerSamples, folder), flavour);
        } catch (error) {
            assert.ok(error instanceof NfvError, `${folder}: ${(error as Error).stack}`);
            return error;
        }
    };
    const first = read();
    const [, names] = (first instanceof NfvError && /several flavours\n.*one of: (.*)\./.exec(first.message)) || [];
    return names === undefined ? [first] : [...new Set(names.split(", "))].map(read);
}

describe("all packages of Tacker, unchanged", () => {
    let accepted: TackerPackage[];

    before(function () {
        skipIf(this, noTackerSamples());
    });

    it("are read, or refused with a sentence that says what is missing", () => {
        assert.equal(packages.length, 108);
        const read = packages.flatMap(folder => flavoursOf(folder).map(result => ({ folder, result })));
        accepted = read.flatMap(({ result }) => (result instanceof NfvError ? [] : [result]));
        const counted = Object.fromEntries(Object.keys(refusals).map(why => [why, 0]));
        for (const { folder, result } of read.filter(each => each.result instanceof NfvError)) {
            const { message } = result as NfvError;
            const found = Object.entries(refusals).find(([, [sentence]]) => sentence.test(message));
            assert.ok(found, `${folder}: ${message}`);
            counted[found[0]]!++;
        }
        assert.deepEqual(counted, Object.fromEntries(Object.entries(refusals).map(([why, [, count]]) => [why, count])));
        assert.equal(accepted.length, 76);
    });

    it("have scripts that run at the end of instantiation, or name the module that Python does not have", async () => {
        const facts = factsOf("instantiate", "end");
        const texts = new Set<string>();
        const ran = { alone: 0, withTacker: 0 };
        for (const { folder, flavourId, scripts } of accepted) {
            const script = scripts[facts.etsiEvent];
            const text = script && readFileSync(join(folder, script), "utf8");
            if (!text || texts.has(text)) continue;
            texts.add(text);
            const result = runTackerScript({ packageFolder: folder, facts, settings: { flavourId } });
            const wanted = ofTacker.exec(text)?.[1];
            if (wanted === undefined) assert.deepEqual(await result, {}, folder);
            else if (!hasTacker) {
                const message = new RegExp(`${script} ended with exit code 1\\n[\\s\\S]*No module named '\\w+`);
                await assert.rejects(result, { code: "HOOK_FAILED", message }, folder);
            } else await result.catch(error => assert.equal(error.code, "HOOK_FAILED"));
            ran[wanted === undefined ? "alone" : "withTacker"]++;
        }
        assert.deepEqual(ran, { alone: 7, withTacker: 3 });
    });
});
