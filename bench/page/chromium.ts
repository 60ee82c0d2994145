import { join } from "node:path";
import puppeteer, { type Browser } from "puppeteer-core";
import { hasProgram, tryRun } from "../../tools/run";
import { ensurePackages } from "../../tools/system-packages";

/** Debian's Chromium, without a screen, with its profile in `folder`. @throws if it is not installed and cannot be */
export async function openChromium(folder: string): Promise<Browser> {
    if (!(await hasProgram("chromium"))) await ensurePackages(["chromium"], "the page of a run in a browser");
    const { stdout } = await tryRun(["which", "chromium"]);
    return puppeteer.launch({
        executablePath: stdout.trim(),
        userDataDir: join(folder, "profile"),
        args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        timeout: 120_000,
    });
}
