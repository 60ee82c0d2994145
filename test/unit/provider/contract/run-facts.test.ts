import assert from "node:assert/strict";
import { readFiles } from "../../../../dev/house/read-files";
import { descriptorOf } from "../../../../provider/adapters/descriptors";
import { runFacts } from "../../../../provider/contract/run-facts";
import { checked, endRun, listener } from "../support/cluster";

describe("what a run knows of its program", () => {
    afterEach(endRun);
    const urn = (stack: string, name: string) => `urn:pulumi:${stack}::project::a:b:Cluster$nfv:NodeEnd::${name}`;
    const program = () => runFacts(listener()).program;

    it("has a resource by its type and name, also after `pulumi stack rename`", () => {
        checked(listener(), "NodeEnd", { resourceUrn: urn("prod", "core") });
        assert.ok(program().has(urn("prod", "core")));
        assert.ok(program().has(urn("before", "core")));
        assert.ok(!program().has(urn("prod", "other")));
        assert.ok(!program().has(undefined));
    });

    it("is nothing where no program ran, as at a destroy", () => {
        assert.ok(!program().has(urn("prod", "core")));
        assert.ok(!program().isKnown);
        assert.equal(
            program().find("NodeEnd", () => true),
            undefined,
        );
    });

    it("is what was checked last: a resource that is made again is checked twice", () => {
        for (const size of [1, 2])
            checked(listener(), "NodeEnd", { resourceUrn: urn("prod", "core"), size } as object, { size: 0 });
        assert.deepEqual(program().all("NodeEnd"), [
            { olds: { size: 0 }, news: { resourceUrn: urn("prod", "core"), size: 2 } },
        ]);
    });

    it("is asked by names of types that exist", () => {
        const names = readFiles()
            .filter(({ path }) => path.startsWith("provider/"))
            .flatMap(({ text }) => [
                ...text.matchAll(
                    /program\s*\.(?:find|all|ofCluster)(?:<[^(]*>)?\(\s*"(\w+)"|(?:requestResource<[^(]*>\(\{\s*type: |nodeByNodeResource\()"(\w+)"/g,
                ),
            ])
            .map(([, one, other]) => one ?? other!);
        assert.ok(names.length > 10);
        for (const request of ["LoginRotation", "EtcdRestore", "OsUpgrade"])
            assert.ok(names.includes(request), request);
        assert.deepEqual(
            names.filter(name => descriptorOf(name) === undefined),
            [],
        );
    });
});
