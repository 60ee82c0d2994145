import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectRoot } from "../../../../dev/levels";

const rooms = ["provider", "components", "pipeline"].flatMap(area =>
    readdirSync(join(projectRoot, area), { withFileTypes: true })
        .filter(entry => entry.isDirectory())
        .map(({ name }) => `${area}/${name}`),
);

describe("a room", () => {
    it("has a README, of at most one screen", () => {
        const lines = rooms.map(room => {
            const file = join(projectRoot, room, "README.md");
            return [room, existsSync(file) ? readFileSync(file, "utf8").split("\n").length : 0] as const;
        });
        assert.ok(lines.length > 40, `${lines.length} rooms`);
        assert.deepEqual(
            lines.filter(([, count]) => count === 0 || count > 45),
            [],
        );
    });
});
