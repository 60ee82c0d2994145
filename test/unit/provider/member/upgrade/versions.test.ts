import assert from "node:assert/strict";
import { isTooOldFor, type Move, moveBetween, refusalOf } from "../../../../../provider/member/upgrade/versions";

describe("a move between versions", () => {
    const rows: [string, string, Move][] = [
        ["1.34.4", "1.34.4", "none"],
        ["1.34.4", "1.34.10", "patch"],
        ["1.34.10", "1.34.9", "back"],
        ["1.34.4", "1.35.0", "minor"],
        ["1.9.0", "1.10.0", "minor"],
        ["1.33.1", "1.35.0", "jump"],
        ["1.35.0", "1.34.9", "downgrade"],
        ["1.35.0-rc.1", "1.35.0", "patch"],
        ["1.35.0", "1.35.0-rc.1", "back"],
        ["1.34.4", "2.0.0", "jump"],
    ];
    for (const [from, to, move] of rows) {
        it(`from ${from} to ${to} is ${move}`, () => assert.equal(moveBetween(from, to), move));
    }

    it("is refused over a minor, with the way minor by minor", () => {
        assert.match(refusalOf("1.33.1", "1.35.0")!.hint, /first a version 1\.34\.x/);
        assert.match(refusalOf("1.35.0", "1.34.9")!.hint, /Set kubernetes\.version back to 1\.35\.0/);
        for (const to of ["1.34.4", "1.34.5", "1.34.3", "1.35.1"]) assert.equal(refusalOf("1.34.4", to), undefined);
    });

    it("leaves kubelets behind that are three minors older, and no more", () => {
        assert.equal(isTooOldFor("1.32.9", "1.35.0"), false);
        assert.equal(isTooOldFor("1.31.9", "1.35.0"), true);
    });
});
