import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { HookContext } from "../../../../../provider/operation/hooks/contract";
import { kinds } from "../../../../../provider/operation/hooks/kinds";
import { moduleEvents, runModule } from "../../../../../provider/operation/hooks/module-hook";
import { skipIf } from "../../../../support/skip";
import { notBuilt, projectRoot } from "../../../../support/user-project";
import { ownFolder, specOf, toolsIn } from "./fixtures";
import { scaleOut } from "./tacker/fixtures";

/** The same driver in each form that a module may have. It returns what its method sees. */
const forms: Record<string, string> = {
    "class.js": `module.exports = class {
        constructor() { this.own = "own"; }
        scaleEnd(context) { return { errorHandlingData: { own: this.own, hook: context.hook } }; }
    };`,
    "object.cjs": `module.exports = {
        own: "own",
        async scaleEnd(context) { return { errorHandlingData: { own: this.own, hook: context.hook } }; },
    };`,
    "functions.js": `exports.own = "own";
        exports.scaleEnd = function (context) { return { errorHandlingData: { own: this.own, hook: context.hook } }; };`,
    "default.ts": `import type { HookContext } from "pulumi-nfv";
        export default class Driver {
            private readonly own: string = "own";
            async scaleEnd({ hook }: HookContext) { return { errorHandlingData: { own: this.own, hook } }; }
        }`,
    "default.mjs": `export default class {
            own = "own";
            scaleEnd({ hook }) { return { errorHandlingData: { own: this.own, hook } }; }
        }`,
    "compiled.js": `Object.defineProperty(exports, "__esModule", { value: true });
        exports.default = { own: "own", scaleEnd({ hook }) { return { errorHandlingData: { own: this.own, hook } }; } };`,
};

const hookOf = (file: string) => specOf({ kind: "module", files: [file] });

describe("a hook that is a module", () => {
    const folder = ownFolder();
    const run = (file: string, text: string, { leave = (_: object) => {}, tools = toolsIn(folder.path) } = {}) => {
        folder.put({ [file]: text });
        return runModule(hookOf(file), scaleOut("end"), leave, tools);
    };

    for (const [file, text] of Object.entries(forms)) {
        it(`may be ${file}: its methods are its events, and are called on it`, async () => {
            folder.put({ [`hooks/${file}`]: text });
            assert.deepEqual(await moduleEvents(hookOf(`hooks/${file}`), folder.path), ["scaleEnd"]);
            const result = await runModule(hookOf(`./hooks/${file}`), scaleOut("end"), () => {}, toolsIn(folder.path));
            assert.deepEqual(result, { errorHandlingData: { own: "own", hook: "mgmt" } });
        });

        it(`may be ${file} in the provider's own process, which knows no TypeScript`, async function () {
            skipIf(this, notBuilt());
            folder.put({ [file]: text });
            const hook = JSON.stringify(hookOf(file));
            const code = `require(${JSON.stringify(join(projectRoot, "dist/provider/operation/hooks/module-hook"))})
                .moduleEvents(${hook}, ${JSON.stringify(folder.path)}).then(events => console.log(events.join()));`;
            const { stdout, stderr } = spawnSync(process.execPath, ["-e", code], { encoding: "utf8" });
            assert.equal(stdout.trim(), "scaleEnd", stderr);
        });
    }

    it("gets the facts and means to act, and may leave nothing", async () => {
        const seen: HookContext[] = [];
        (globalThis as { seen?: HookContext[] }).seen = seen;
        const left: object[] = [];
        const tools = toolsIn(folder.path);
        const text = `exports.scaleEnd = context => {
            globalThis.seen.push(context);
            context.leave({ ticket: 5 });
            context.progress("half");
            context.log("done");
        };`;
        assert.deepEqual(await run("tools.js", text, { leave: data => void left.push(data), tools }), {});
        const [context] = seen as [HookContext];
        const facts = scaleOut("end");
        assert.deepEqual(JSON.parse(JSON.stringify({ ...context, ...facts })), {
            ...JSON.parse(JSON.stringify(context)),
        });
        assert.equal(context.kubernetes, undefined);
        assert.equal(context.signal, tools.signal);
        assert.deepEqual([left, tools.reported, tools.noted], [[{ ticket: 5 }], ["half"], ["done"]]);
    });

    it("gets the API while there is a cluster", async () => {
        const api = {} as never;
        const text = "exports.scaleEnd = ({ kubernetes }) => ({ errorHandlingData: { kubernetes } });";
        const { errorHandlingData } = await run("api.js", text, { tools: toolsIn(folder.path, { api }) });
        assert.equal(errorHandlingData!["kubernetes"], api);
    });

    it("fails with the method's own error", async () => {
        await assert.rejects(run("fails.js", 'exports.scaleEnd = () => { throw new TypeError("no licence"); };'), {
            name: "TypeError",
            message: "no licence",
        });
    });

    const refused: [title: string, file: string, text: string | undefined, said: RegExp][] = [
        [
            "it does not exist",
            "gone.js",
            undefined,
            /hook mgmt: gone\.js cannot be loaded: Cannot find module[\s\S]*Relative paths start from/,
        ],
        [
            "it has a syntax error",
            "broken.js",
            "exports.scaleEnd = (",
            /broken\.js cannot be loaded: [\s\S]*Unexpected/,
        ],
        [
            "it fails while it is loaded",
            "throws.js",
            'throw new Error("no settings");',
            /cannot be loaded: no settings/,
        ],
        ["it throws no error while it is loaded", "text.js", 'throw "no settings";', /cannot be loaded: no settings/],
        [
            "its class cannot be made",
            "made.js",
            "module.exports = class { constructor() { throw new Error('x'); } };",
            /cannot be loaded: x/,
        ],
        [
            "it has no method",
            "none.js",
            "exports.scale_end = () => {};",
            /hook mgmt: none\.js exports no method of a MgmtDriver; its methods are scale_end\n[\s\S]*scaleEnd/,
        ],
        [
            "the methods of its class have other names",
            "others.js",
            "module.exports = class { async scaledEnd() {} get scale() { throw new Error('x'); } };",
            /exports no method of a MgmtDriver; its methods are scaledEnd\n/,
        ],
        [
            "one of its methods is mistyped",
            "typing.js",
            "exports.scaleEnd = exports.instantiateStrat = exports.heal_end = () => {};",
            /hook mgmt: typing\.js has methods that no event calls: heal_end \(healEnd\?\), instantiateStrat \(instantiateStart\?\)\n/,
        ],
        ["it has nothing", "empty.js", "", /exports no method of a MgmtDriver\n/],
        ["it exports nothing", "null.js", "module.exports = null;", /null\.js/],
        ["what has the name of an event is no method", "value.js", "exports.scaleEnd = true;", /exports no method/],
    ];
    for (const [title, file, text, said] of refused)
        it(`is refused if ${title}`, async () => {
            if (text !== undefined) folder.put({ [file]: text });
            await assert.rejects(moduleEvents(hookOf(file), folder.path), ({ code, message }) => {
                assert.equal(code, "INVALID_INPUT");
                assert.match(message, said);
                return true;
            });
        });

    it("may have methods of its own with names far from events", async () => {
        folder.put({ "own.js": "exports.scaleEnd = exports.scale = exports.end = exports.scaleWorkers = () => {};" });
        assert.deepEqual(await moduleEvents(hookOf("own.js"), folder.path), ["scaleEnd"]);
    });

    it("runs at the program's events only, which it must have methods for", async () => {
        folder.put({ "two.js": "exports.scaleStart = exports.scaleEnd = () => {};" });
        const eventsOf = (events: ("scaleStart" | "scaleEnd" | "healEnd")[]) =>
            kinds.module.eventsOf({ ...hookOf("two.js"), events }, folder.path);
        assert.deepEqual(await eventsOf(["scaleEnd"]), ["scaleEnd"]);
        assert.deepEqual(await kinds.module.eventsOf(hookOf("two.js"), folder.path), ["scaleStart", "scaleEnd"]);
        await assert.rejects(eventsOf(["healEnd"]), {
            code: "INVALID_INPUT",
            reason: "hook mgmt: two.js has no method healEnd",
        });
    });

    it("is loaded without anything being run", async () => {
        folder.put({
            "quiet.js": `exports.scaleEnd = () => require("node:fs").writeFileSync(__dirname + "/ran", "");`,
        });
        await moduleEvents(hookOf("quiet.js"), folder.path);
        assert.equal(existsSync(join(folder.path, "ran")), false);
    });
});
