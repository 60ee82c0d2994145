import { strict as assert } from "node:assert";
import { CacheUnusable } from "../../../tools/cache-folder";
import { type FoundTool, NotHere, type Source } from "../../../tools/found";
import { resolveFrom } from "../../../tools/resolver";
import type { SourceName } from "../../../tools/settings";
import { type Tool, tool } from "../../../tools/versions";

describe("the resolver", () => {
    const asked: string[] = [];
    beforeEach(() => asked.splice(0));

    type Has = "ready" | "obtainable" | string;

    /** A source that has the tool ready, can obtain it, or does not have it for the given reason. */
    function source(name: SourceName, quick: boolean, has: Has): Source {
        const found = (wanted: Tool): FoundTool => ({
            tool: wanted,
            programs: {},
            files: {},
            source: name,
            detail: "",
        });
        return {
            name,
            quick,
            ready: async wanted => {
                asked.push(`${name}?`);
                return has === "ready" ? found(wanted) : undefined;
            },
            prospect: async () => undefined,
            obtain: async wanted => {
                asked.push(`${name}!`);
                if (has !== "obtainable") {
                    throw new NotHere(has);
                }
                return found(wanted);
            },
        };
    }

    async function from(installed: Has, mirror: Has, download: Has, modules: Has, wanted = tool("etcd")) {
        const sources = [
            source("installed", true, installed),
            source("mirror", true, mirror),
            source("download", false, download),
            source("modules", false, modules),
        ];
        return (await resolveFrom(wanted, sources, () => {})).source;
    }

    it("asks in the documented order", async () => {
        assert.equal(await from("no", "no", "no", "obtainable"), "modules");
        assert.deepEqual(
            asked.filter(question => question.endsWith("!")),
            ["installed!", "mirror!", "download!", "modules!"],
        );
    });

    it("takes what is installed without asking further", async () => {
        assert.equal(await from("ready", "ready", "ready", "ready"), "installed");
        assert.deepEqual(asked, ["installed?"]);
    });

    it("prefers the mirror to what was downloaded or built before", async () => {
        assert.equal(await from("no", "obtainable", "ready", "ready"), "mirror");
    });

    it("uses what was built before rather than the network", async () => {
        assert.equal(await from("no", "no", "obtainable", "ready"), "modules");
        assert.ok(!asked.includes("download!"));
    });

    it("prefers a download to a build of other code under the same number, even one that is in the cache", async () => {
        assert.equal(await from("no", "no", "obtainable", "ready", tool("pulumi")), "download");
        assert.equal(await from("no", "no", "obtainable", "ready", tool("plugin-kubernetes")), "download");
        assert.equal(await from("no", "no", "no", "obtainable", tool("plugin-kubernetes")), "modules");
    });

    it("goes on after a refusal, and says so", async () => {
        const lines: string[] = [];
        const sources = [source("mirror", true, "refused: wrong sum"), source("modules", false, "obtainable")];
        const found = await resolveFrom(tool("etcd"), sources, line => lines.push(line));
        assert.equal(found.source, "modules");
        assert.match(lines.join("\n"), /mirror: refused: wrong sum/);
    });

    it("names every source's reason and what does not work, if nobody has it", async () => {
        await assert.rejects(from("not installed", "no folder", "closed network", "no Go", tool("plugin-kubernetes")), {
            code: "TOOL_MISSING",
            message: /needed for: Cnf[\s\S]*not installed[\s\S]*no folder[\s\S]*closed network[\s\S]*no Go/,
        });
    });

    it("goes on where the cache cannot be used, and says that in the end instead of what is missing", async () => {
        const broken: Source = {
            ...source("mirror", true, "no"),
            ready: () => Promise.reject(new CacheUnusable("/srv/cache: this user may not write there")),
        };
        const lines: string[] = [];
        await resolveFrom(tool("etcd"), [broken, broken, source("modules", false, "obtainable")], line =>
            lines.push(line),
        );
        assert.equal(lines.length, 1, "each would say the same");
        const others = [source("download", false, "closed network"), source("modules", false, "obtainable")];
        const found = await resolveFrom(tool("etcd"), [broken, ...others], () => {});
        assert.equal(found.source, "modules");
        await assert.rejects(
            resolveFrom(tool("etcd"), [broken, others[0]!], () => {}),
            { code: "INVALID_INPUT", message: /PULUMI_NFV_CACHE: \/srv\/cache/ },
        );
    });

    it("does not hide a defect of our own behind the next source", async () => {
        const broken: Source = {
            ...source("mirror", true, "no"),
            ready: async () => {
                throw new TypeError("undefined is not a function");
            },
        };
        await assert.rejects(
            resolveFrom(tool("etcd"), [broken], () => {}),
            TypeError,
        );
    });
});
