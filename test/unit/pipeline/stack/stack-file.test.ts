import assert from "node:assert/strict";
import {
    existsSync,
    lstatSync,
    mkdtempSync,
    readFileSync,
    rmSync,
    symlinkSync,
    utimesSync,
    writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { draftOf, draftsOf, isSameConfiguration, removeLeftDrafts } from "../../../../pipeline/stack/stack-file";

const settings = [{ path: ["pools", "workers", "count"], value: 3 }];
const wanted = { "pulumi-nfv:cluster": { pools: { workers: { count: 3 } } } };

describe("the draft of a stack's configuration", () => {
    let folder: string;
    let file: string;
    beforeEach(() => {
        folder = mkdtempSync(join(tmpdir(), "nfv-stack-file-"));
        file = join(folder, "Pulumi.dev.yaml");
    });
    afterEach(() => rmSync(folder, { recursive: true }));
    const config = () => parse(readFileSync(file, "utf8")).config;

    it("becomes the configuration, and is gone", () => {
        const draft = draftOf(file, "cluster", settings)!;
        assert.equal(existsSync(file), false);
        draft.commit();
        assert.deepEqual(config(), wanted);
        assert.equal(existsSync(draft.file), false);
    });

    it("keeps what somebody wrote into the file meanwhile", () => {
        writeFileSync(file, "config: {a:b: c}\n");
        const draft = draftOf(file, "cluster", settings)!;
        writeFileSync(file, "# mine\nconfig: {a:b: d}\n");
        draft.commit();
        assert.deepEqual(config(), { "a:b": "d", ...wanted });
        assert.match(readFileSync(file, "utf8"), /# mine/);
        assert.equal(existsSync(draft.file), false);
    });

    it("knows whether somebody has written it since; what Pulumi adds besides makes no difference", () => {
        const draft = draftOf(file, "cluster", settings)!;
        writeFileSync(draft.file, `${readFileSync(draft.file, "utf8")}encryptionsalt: v1:abc\n`);
        assert.equal(draft.isOurs(), true);
        writeFileSync(draft.file, "config: {a:b: c}\n");
        assert.equal(draft.isOurs(), false);
    });

    it("is one run's own: another run makes another one, and removes only what a killed run left a day ago", () => {
        const [left, first] = [draftOf(file, "cluster", settings)!, draftOf(file, "cluster", settings)!];
        const before = new Date(Date.now() - 25 * 3_600_000);
        utimesSync(left.file, before, before);
        removeLeftDrafts(file);
        const second = draftOf(file, "cluster", settings)!;
        assert.deepEqual(draftsOf(file).sort(), [first.file, second.file].sort());
        second.discard();
        assert.equal(first.isOurs(), true);
    });

    it("leaves a link to the configuration a link", () => {
        const real = join(folder, "real.yaml");
        writeFileSync(real, "config: {}\n");
        symlinkSync(real, file);
        draftOf(file, "cluster", settings)!.commit();
        assert.equal(lstatSync(file).isSymbolicLink(), true);
        assert.deepEqual(config(), wanted);
    });

    it("compares configurations by what they say", () => {
        assert.equal(
            isSameConfiguration("config: {a: 1, b: 2}", "# x\nconfig:\n  b: 2\n  a: 1\nencryptionsalt: s"),
            true,
        );
        assert.equal(isSameConfiguration("", "encryptionsalt: s"), true);
        assert.equal(isSameConfiguration("config: {a: 1}", "config: {a: 2}"), false);
    });
});
