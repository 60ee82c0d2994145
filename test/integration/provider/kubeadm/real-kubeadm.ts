import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBundle } from "../../../../tools/bundle";

/** For a suite that asks the pinned kubeadm: its path, and a folder for its files. The first bundle must be compiled, so the suite needs 40 minutes. */
export function realKubeadm(): { kubeadm: string; folder: string } {
    const real = { kubeadm: "", folder: "" };
    before(async () => {
        real.kubeadm = join(await ensureBundle({ onProgress: text => console.log(`      ${text}`) }), "bin/kubeadm");
        real.folder = mkdtempSync(join(tmpdir(), "nfv-kubeadm-"));
    });
    after(() => rmSync(real.folder, { recursive: true, force: true }));
    return real;
}
