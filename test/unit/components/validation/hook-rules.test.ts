import { deepStrictEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HookArgs } from "../../../../components";
import { problems } from "../../../../components/validation/validate";
import { clusterArgs } from "../sample-args";

describe("the rules of hooks", () => {
    const startedIn = process.cwd();
    let folder: string;
    before(() => {
        folder = mkdtempSync(join(tmpdir(), "pulumi-nfv-test-"));
        for (const file of ["hook.sh", "driver.ts", "a.yaml"]) writeFileSync(join(folder, file), "");
        mkdirSync(join(folder, "package"));
        process.chdir(folder);
    });
    after(() => {
        process.chdir(startedIn);
        rmSync(folder, { recursive: true, force: true });
    });

    const of = (...hooks: object[]) =>
        problems("KubernetesCluster", {
            ...clusterArgs(1, { workers: 1, edge: 1 }),
            clusterName: "core",
            hooks: hooks as HookArgs[],
        });
    const script = { name: "say", script: "./hook.sh", events: ["scaleEnd"] };
    const manifests = { name: "quota", manifests: ["a.yaml"], events: ["instantiateEnd"] };
    const driver = { name: "dns", module: "driver.ts" };
    const tacker = { name: "mgmt", tacker: { package: "package" } };

    it("allow one of each kind, and none", () => {
        deepStrictEqual(of(), []);
        deepStrictEqual(of(script, manifests, driver, tacker), []);
    });

    const allowed: [title: string, hook: object][] = [
        ["the longest name", { ...script, name: "a".repeat(40) }],
        ["the events of a module", { ...driver, events: ["scaleEnd"] }],
        ["the events of a package", { ...tacker, events: ["instantiateStart", "terminateEnd"] }],
        ["nodes of each property", { ...script, nodes: { role: "worker", pool: "edge", names: ["x"], first: true } }],
        ["all nodes", { ...script, nodes: {} }],
        ["to delete manifests", { ...manifests, action: "delete" }],
        ["a script here when there is no cluster", { ...script, events: ["instantiateStart", "terminateEnd"] }],
        ["a script on nodes when the cluster ends", { ...script, nodes: {}, events: ["terminateStart"] }],
        ["the shortest deadline and many retries", { ...script, timeoutSeconds: 1, retries: 100 }],
        ["parameters of any kind", { ...script, parameters: { a: [1, { b: null }], c: "text" } }],
    ];
    for (const [title, hook] of allowed) it(`allow ${title}`, () => deepStrictEqual(of(hook), []));

    const at = "hooks.0";
    const nothing = "needs exactly one of module, script, manifests, tacker; it has";
    const events =
        "instantiateStart, instantiateEnd, scaleStart, scaleEnd, healStart, healEnd, changeExternalConnectivityStart, changeExternalConnectivityEnd, " +
        "changeCurrentPackageStart, changeCurrentPackageEnd, modifyInformationStart, modifyInformationEnd, terminateStart, terminateEnd, " +
        "instantiateRollbackStart, instantiateRollbackEnd, scaleRollbackStart, scaleRollbackEnd, changeCurrentPackageRollbackStart, " +
        "changeCurrentPackageRollbackEnd";
    const instead = "use a module, or a script on this machine";
    const refused: [title: string, hook: object, said: string][] = [
        ["no way", { name: "say", events: ["scaleEnd"] }, `${at}: ${nothing} none`],
        ["two ways", { ...script, module: "driver.ts" }, `${at}: ${nothing} module, script`],
        [
            "a name with capitals",
            { ...script, name: "Say" },
            `${at}.name: "Say" is not allowed: lower-case letters, digits and -, at most 40 characters`,
        ],
        [
            "a name that leads to another folder",
            { ...script, name: "../say" },
            `${at}.name: "../say" is not allowed: lower-case letters, digits and -, at most 40 characters`,
        ],
        [
            "a name that is too long",
            { ...script, name: "a".repeat(41) },
            `${at}.name: "${"a".repeat(41)}" is not allowed: lower-case letters, digits and -, at most 40 characters`,
        ],
        [
            "a script without events",
            { ...script, events: undefined },
            `${at}.events: is missing: a script does not say when it runs`,
        ],
        [
            "no events of manifests",
            { ...manifests, events: [] },
            `${at}.events: is missing: a manifest does not say when it runs`,
        ],
        [
            "a misspelt event",
            { ...script, events: ["scaleEnd", "scaleend"] },
            `${at}.events.1: there is no event "scaleend"; did you mean "scaleEnd"? The events are ${events}`,
        ],
        [
            "ETSI's spelling of an event",
            { ...script, events: ["heal_start"] },
            `${at}.events.0: there is no event "heal_start"; did you mean "healStart"? The events are ${events}`,
        ],
        ["nodes of a module", { ...driver, nodes: {} }, `${at}.nodes: is for a script only`],
        ["an action of a script", { ...script, action: "apply" }, `${at}.action: is for manifests only`],
        [
            "an unknown action",
            { ...manifests, action: "remove" },
            `${at}.action: "remove" is not allowed: "apply" or "delete"`,
        ],
        [
            "no time",
            { ...script, timeoutSeconds: 0 },
            `${at}.timeoutSeconds: 0 is not allowed: a whole number from 1 to 86400`,
        ],
        [
            "a part of a second",
            { ...script, timeoutSeconds: 1.5 },
            `${at}.timeoutSeconds: 1.5 is not allowed: a whole number from 1 to 86400`,
        ],
        [
            "less than no retries",
            { ...script, retries: -1 },
            `${at}.retries: -1 is not allowed: a whole number from 0 to 100`,
        ],
        ["no manifests", { ...manifests, manifests: [] }, `${at}.manifests: is empty`],
        [
            "an unknown role",
            { ...script, nodes: { role: "master" } },
            `${at}.nodes.role: "master" is not allowed: "controlPlane" or "worker"`,
        ],
        [
            "an unknown pool",
            { ...script, nodes: { pool: "worker" } },
            `${at}.nodes.pool: there is no pool "worker"; did you mean "workers"?`,
        ],
        [
            "a pool that resembles none",
            { ...script, nodes: { pool: "gpu" } },
            `${at}.nodes.pool: there is no pool "gpu"; the pools are workers, edge`,
        ],
        [
            "control-plane nodes of a pool",
            { ...script, nodes: { role: "controlPlane", pool: "edge" } },
            `${at}.nodes.pool: has workers only; role says controlPlane`,
        ],
        ...["instantiateStart", "instantiateRollbackStart", "instantiateRollbackEnd", "terminateEnd"].flatMap(
            (event): [string, object, string][] => [
                [
                    `manifests at ${event}`,
                    { ...manifests, events: [event] },
                    `${at}.events.0: there is no cluster at ${event}, so nothing can be applied to it: ${instead}`,
                ],
                [
                    `nodes at ${event}`,
                    { ...script, nodes: {}, events: [event] },
                    `${at}.events.0: there is no cluster at ${event}, so no node of it: ${instead}`,
                ],
            ],
        ),
    ];
    for (const [title, hook, said] of refused) it(`refuse ${title}`, () => deepStrictEqual(of(hook), [said]));

    it("refuse files and folders that do not exist, and say from where they are looked for", () => {
        const missing = (place: string, file: string) =>
            `hooks.0.${place}: there is no ${file}; relative paths start from ${process.cwd()}`;
        deepStrictEqual(of({ ...script, script: "gone.sh" }), [missing("script", "gone.sh")]);
        deepStrictEqual(of({ ...driver, module: "gone.ts" }), [missing("module", "gone.ts")]);
        deepStrictEqual(of({ ...manifests, manifests: ["a.yaml", "b.yaml"] }), [missing("manifests.1", "b.yaml")]);
        deepStrictEqual(of({ name: "mgmt", tacker: { package: "gone" } }), [missing("tacker.package", "gone")]);
        deepStrictEqual(of({ name: "mgmt", tacker: { package: "package", newPackage: "gone" } }), [
            missing("tacker.newPackage", "gone"),
        ]);
    });

    it("refuse a second hook of the same name: records and messages name it", () => {
        deepStrictEqual(of(script, driver, { ...manifests, name: "say" }), [
            'hooks.2.name: there is another hook "say"',
        ]);
    });

    it("list all that is wrong at once", () => {
        deepStrictEqual(of({ ...script, retries: 101, action: "x" }, { ...manifests, manifests: [] }), [
            "hooks.0.action: is for manifests only",
            'hooks.0.action: "x" is not allowed: "apply" or "delete"',
            "hooks.0.retries: 101 is not allowed: a whole number from 0 to 100",
            "hooks.1.manifests: is empty",
        ]);
    });
});
