import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "puppeteer-core";
import { openChromium } from "../../../bench/page/chromium";
import { type Fleet, instantiated, namesOf, repaired } from "../../../bench/simulation/run-events";
import { htmlReport } from "../../../pipeline/page/html";
import { skipIf } from "../../support/skip";

const fleets: Fleet[] = [
    { masters: 1, workers: 4, failing: { node: "w2", text: "line\n".repeat(60) } },
    { masters: 3, workers: 47 },
    { masters: 5, workers: 195 },
];
const sizeOf = ({ masters, workers }: Fleet) => masters + workers;
const phone = { width: 375, height: 667, isMobile: true, hasTouch: true };

/** In Debian's Chromium; the smaller counterpart is test/unit/pipeline/page/html.test.ts. NFV_SHOTS=FOLDER keeps pictures, for people to look at. */
describe("the page of a run, in a browser", () => {
    let folder: string;
    let browser: Browser;
    const seen: string[] = [];

    before(async function () {
        folder = mkdtempSync(join(tmpdir(), "nfv-page-"));
        for (const fleet of fleets) writeFileSync(fileOf(fleet), htmlReport(instantiated(fleet)));
        writeFileSync(join(folder, "repair.html"), htmlReport(repaired(fleets[0]!, "w2")));
        browser = await openChromium(folder).catch(error => {
            skipIf(this, `Chromium does not run here: ${error.message}`);
            throw error;
        });
    });
    after(async () => {
        await browser?.close();
        if (folder) rmSync(folder, { recursive: true, force: true });
    });

    const fileOf = (fleet: Fleet) => join(folder, `${sizeOf(fleet)}.html`);

    async function open(fleet: Fleet, scheme: "light" | "dark" = "light", viewport?: typeof phone): Promise<Page> {
        const page = await browser.newPage();
        page.on("console", message => seen.push(`console: ${message.text()}`));
        page.on("pageerror", error => seen.push(`error: ${error}`));
        page.on("request", request => {
            if (!request.url().startsWith(pathToFileURL(folder).href)) seen.push(`request: ${request.url()}`);
        });
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        await page.setViewport(viewport ?? { width: 1280, height: 900 });
        seen.length = 0;
        await page.goto(pathToFileURL(fileOf(fleet)).href);
        return page;
    }

    async function keep(page: Page, name: string): Promise<void> {
        const shots = process.env["NFV_SHOTS"];
        if (!shots) return;
        mkdirSync(shots, { recursive: true });
        await page.screenshot({ path: join(shots, `${name}.png`) });
    }

    for (const fleet of fleets) {
        it(`of ${sizeOf(fleet)} nodes opens without an error and without a request, and shows each node`, async () => {
            const page = await open(fleet);
            await keep(page, `${sizeOf(fleet)}-light`);
            const text = await page.evaluate("document.body.innerText");
            assert.deepEqual(seen, []);
            const names = [...namesOf("m", fleet.masters), ...namesOf("w", fleet.workers)];
            assert.deepEqual(
                names.filter(name => !new RegExp(`\\b${name}\\b`).test(String(text))),
                [],
            );
            await page.close();
        });
    }

    for (const scheme of ["light", "dark"] as const)
        it(`can be read by everybody, ${scheme}: axe finds nothing, also where everything is open`, async () => {
            const page = await open(fleets[0]!, scheme);
            await keep(page, `5-${scheme}`);
            await page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })");
            await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
            const problems = await page.evaluate(
                "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`))",
            );
            assert.deepEqual(problems, []);
            await page.close();
        });

    it("of a repair fits on a wide screen and a phone, and axe finds nothing where all is open", async () => {
        const page = await browser.newPage();
        await page.goto(pathToFileURL(join(folder, "repair.html")).href);
        for (const width of [1400, 390]) {
            await page.setViewport({ width, height: 900 });
            await keep(page, `repair-${width}`);
            assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= width);
        }
        await page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })");
        await page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
        const problems = await page.evaluate(
            "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`))",
        );
        assert.deepEqual(problems, []);
        assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= 390);
        await page.close();
    });

    it("needs no mouse: the Tab key reaches each part that opens, and Enter opens it", async () => {
        const page = await open(fleets[0]!);
        const all = Number(await page.evaluate("document.querySelectorAll('summary, a[href]').length"));
        assert.ok(all > 5);
        const reached = new Set<unknown>();
        for (let i = 0; i < 3 * all; i++) {
            await page.keyboard.press("Tab");
            const at = "[...document.querySelectorAll('summary, a[href]')].indexOf(document.activeElement)";
            reached.add(await page.evaluate(at));
            const closed = "document.activeElement.matches('details:not([open]) > summary')";
            if (!(await page.evaluate(closed))) continue;
            await page.keyboard.press("Enter");
            assert.equal(await page.evaluate(closed), false);
        }
        reached.delete(-1);
        const shown = Number(await page.evaluate("document.querySelectorAll('summary, a[href]').length"));
        assert.equal(reached.size, shown);
        await page.close();
    });

    it("fits on a phone: the page itself does not scroll sideways", async () => {
        for (const fleet of fleets) {
            const page = await open(fleet, "light", phone);
            await keep(page, `${sizeOf(fleet)}-phone`);
            const wide = await page.evaluate("document.documentElement.scrollWidth");
            assert.ok(Number(wide) <= phone.width, `${sizeOf(fleet)} nodes: ${wide}`);
            await page.close();
        }
    });

    it("has all nodes on paper, each within the sheet's width", async () => {
        const fleet = fleets[1]!;
        const page = await open(fleet);
        const pdf = await page.pdf({ format: "A4" });
        assert.ok(pdf.length > 20_000, `${pdf.length}`);
        // What is printed: the same rules and the width of a sheet without its margins.
        await page.emulateMediaType("print");
        await page.setViewport({ width: 718, height: 1000 });
        await keep(page, `${sizeOf(fleet)}-print`);
        const text = String(await page.evaluate("document.body.innerText"));
        const names = [...namesOf("m", fleet.masters), ...namesOf("w", fleet.workers)];
        assert.deepEqual(
            names.filter(name => !new RegExp(`\\b${name}\\b`).test(text)),
            [],
        );
        assert.ok(Number(await page.evaluate("document.documentElement.scrollWidth")) <= 718);
        await page.close();
    });
});
