import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "puppeteer-core";
import { htmlReport } from "../../pipeline/page/html";
import { compare, interleave, machine, seconds } from "../harness";
import { instantiated } from "../simulation/run-events";
import { type Bench, wholeNumber } from "../types";
import { openChromium } from "./chromium";

const masters = 3;
const empty = "an empty page";

export const pageBench: Bench = {
    about: "opening the page of a run (`nfv report --html`) in Chromium, against an empty page",
    rounds: 7,
    options: {
        nodes: { about: "number of machines", default: "50" },
        "more-nodes": { about: "number of machines of a second page", default: "200" },
    },
    async run({ rounds, options, say }) {
        const folder = mkdtempSync(join(tmpdir(), "nfv-bench-page-"));
        const counts = [wholeNumber(options, "nodes"), wholeNumber(options, "more-nodes")];
        const pages = counts.map(count => {
            const name = `the page of ${count} nodes`;
            const file = join(folder, `${count}.html`);
            writeFileSync(file, htmlReport(instantiated({ masters, workers: count - masters })));
            return { name, file };
        });
        const emptyFile = join(folder, "empty.html");
        writeFileSync(emptyFile, '<!doctype html><html lang="en"><title>empty</title></html>');
        let browser: Browser | undefined;
        try {
            browser = await openChromium(folder);
            const opens = (file: string) => () => opening(browser!, file);
            // The first page that a browser opens pays for its start.
            await opening(browser, emptyFile);
            const samples = await interleave(
                [...pages, { name: empty, file: emptyFile }].map(({ name, file }) => ({ name, run: opens(file) })),
                rounds,
                say,
            );
            return {
                bench: "page",
                how: [
                    `n = ${rounds}; ${machine()}; ${await browser.version()} without a screen, each time a new tab of a browser that runs`,
                    "From the address until the second picture after the page is loaded: styles, layout and paint are in it.",
                    "The runs are instantiations with the times that steps took on real machines (recorded-bundle-steps.json).",
                ],
                comparisons: pages.map(({ name }) => compare(samples, { ours: name, rival: empty })),
                facts: Object.fromEntries(
                    pages.map(({ name, file }) => [`KiB of ${name}`, Math.round(statSync(file).size / 1024)]),
                ),
                samples,
            };
        } finally {
            await browser?.close();
            rmSync(folder, { recursive: true, force: true });
        }
    },
};

async function opening(browser: Browser, file: string): Promise<number> {
    const page = await browser.newPage();
    await page.setViewport({ width: 1280, height: 900 });
    const taken = await seconds(async () => {
        await page.goto(pathToFileURL(file).href);
        await page.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(undefined))))",
        );
    });
    await page.close();
    return taken;
}
