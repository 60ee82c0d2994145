import assert from "node:assert/strict";
import { Lines } from "../../../../../../provider/operation/hooks/tacker/lines";

describe("output of a script", () => {
    const linesOf = (chunks: (string | Buffer)[], secrets: string[] = []) => {
        const seen: string[] = [];
        const lines = new Lines(line => seen.push(line), secrets);
        for (const chunk of chunks) lines.add(Buffer.from(chunk));
        lines.end();
        return { seen, tail: lines.tail(2) };
    };

    it("becomes lines, however it arrives", () => {
        const euro = Buffer.from("5 €\n");
        const { seen, tail } = linesOf(["a\r\nb", "c\n", euro.subarray(0, 3), euro.subarray(3), "end"]);
        assert.deepEqual(seen, ["a", "bc", "5 €", "end"]);
        assert.equal(tail, "5 €\nend");
    });

    it("without line breaks is passed on in pieces", () => {
        const { seen } = linesOf(["x".repeat(20_000)]);
        assert.deepEqual(
            seen.map(({ length }) => length),
            [8192, 8192, 3616],
        );
    });

    it("contains no secret", () => {
        assert.deepEqual(linesOf(["user u, password hunter2", "hunter2\n"], ["hunter2hunter2"]).seen, [
            "user u, password ***",
        ]);
    });
});
