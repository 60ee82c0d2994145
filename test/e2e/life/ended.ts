import { strict as assert } from "node:assert";
import { footprints } from "../cluster-observed";
import type { Life } from "./life";

export function isEnded(life: Life): void {
    it("leaves the machines as they were after `pulumi destroy`", async () => {
        const { fixture } = life;
        await fixture.project.destroy();
        const left = JSON.parse(await fixture.project.exportStack()).deployment.resources ?? [];
        assert.deepEqual(
            left.filter((resource: any) => resource.custom),
            [],
        );
        // ended processes and their mounts may take a moment to disappear
        await life.settles(async () => assert.deepEqual(await footprints(fixture), life.untouched));
    });
}
