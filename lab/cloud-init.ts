import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Image, packageLayer } from "./images";
import { ensureLayer, type Report, runOnLayers, scriptInputs } from "./layers";

/** The image with cloud-init, which runs a node's user data at its first boot. */
export async function withCloudInit(image: Image, report: Report): Promise<Image> {
    const packages = await packageLayer("cloudinit", "cloud-init for nodes", ["cloud-init"], image.layers, report);
    const below = [packages, ...image.layers];
    const script = "layer-cloud-init.sh";
    const settings = await ensureLayer(
        {
            name: "userdata",
            what: "settings of cloud-init for nodes",
            inputs: { scripts: scriptInputs(script) },
            below,
            build: (folder, draft) => runOnLayers(below, folder, draft, script, []),
        },
        report,
    );
    return { ...image, layers: [settings, ...below] };
}

/** Writes what a cloud would serve to its new server: the user data, and who the server is. It may contain secrets. */
export function seedUserData(root: string, name: string, userData: string): void {
    const folder = join(root, "var/lib/cloud/seed/nocloud");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const write = (file: string, text: string) => writeFileSync(join(folder, file), text, { mode: 0o600 });
    write("user-data", userData);
    write("meta-data", `${JSON.stringify({ "instance-id": name, "local-hostname": name })}\n`);
}
