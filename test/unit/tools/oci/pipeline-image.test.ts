import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { layerMembers } from "../../../../tools/oci/layer";
import { type PipelineParts, pipelineImage } from "../../../../tools/oci/pipeline-image";
import { versions } from "../../../../tools/versions";
import { projectRoot } from "../../../support/user-project";

const parts: PipelineParts = {
    name: "registry.site/nfv-pipeline:1",
    version: "0.1.0",
    system: { programs: { "/usr/bin/git": __filename }, links: { "/usr/bin/sh": "dash" } },
    authorities: "public\n",
    node: { version: "20.20.2", program: __filename },
    pulumi: { version: versions.pulumi, programs: { pulumi: __filename } },
    plugins: [{ name: "kubernetes", version: "4.32.0", program: __filename }],
    packages: { files: { "/node_modules/pulumi-nfv/package.json": __filename } },
    scripts: { withHome: __filename, pipeline: __filename },
};
const bundle: PipelineParts["bundle"] = {
    folder: "/b",
    manifest: {
        ...{ apiVersion: "pulumi-nfv/v1", kubernetes: "1.34.4", arch: "amd64" },
        files: [
            { path: "bin/kubelet", kind: "binary", sha256: "", sizeBytes: 1, roles: [] },
            { path: "images/pause.tar", kind: "image", sha256: "", sizeBytes: 1, roles: [] },
        ],
    },
};

describe("the image for pipelines", () => {
    const image = pipelineImage(parts);

    it("has a user that Kubernetes knows not to be root, and folders in which every user may write", async () => {
        match(image.user!, /^[1-9]\d*:0$/);
        const members = await layerMembers(image.content);
        const open = members.filter(({ mode, type }) => type === "folder" && mode === 0o1777).map(({ path }) => path);
        deepStrictEqual(open, ["tmp", "var/tmp", "work"]);
        ok(members.every(({ mode }) => (mode & 0o6000) === 0));
    });

    it("starts a shell, as CI systems expect, and has every command at a place of PATH", () => {
        deepStrictEqual([image.entrypoint, image.command], [undefined, ["/bin/bash"]]);
        const path = image.env!["PATH"]!.split(":");
        for (const folder of ["/usr/local/bin", "/usr/bin", "/opt/pulumi", "/node_modules/.bin"])
            ok(path.includes(folder), folder);
        const [, packages] = [image.above![1]!, image.above![2]!];
        for (const name of ["pulumi", "nfv"]) ok(packages.links![`/usr/local/bin/${name}`], name);
        ok(packages.programs!["/usr/local/bin/nfv-pipeline.sh"]);
    });

    it("lets Pulumi look for plugins where they are, and nowhere else", () => {
        const [, pulumi] = image.above!;
        ok(pulumi!.programs!["/opt/pulumi/plugins/resource-kubernetes-v4.32.0/pulumi-resource-kubernetes"]);
        const { env } = image;
        strictEqual(env!["PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"], "true");
        strictEqual(env!["PULUMI_NFV_SOURCES"], "installed");
        ok(!("PULUMI_SKIP_CONFIRMATIONS" in env!), "a person in it must still be asked");
        ok(!Object.keys(env!).some(name => /PASS|TOKEN|KEY/.test(name)));
    });

    it("has what changes often in layers above what changes rarely, and the bundle only if there is one", () => {
        const withBundle = pipelineImage({ ...parts, bundle });
        strictEqual(image.above!.length, 3);
        deepStrictEqual(withBundle.above!.slice(0, 3), image.above);
        deepStrictEqual(withBundle.above![3], {
            programs: { "/opt/nfv/bundle/bin/kubelet": "/b/bin/kubelet" },
            files: {
                "/opt/nfv/bundle/images/pause.tar": "/b/images/pause.tar",
                "/opt/nfv/bundle/manifest.json": "/b/manifest.json",
            },
        });
        strictEqual(withBundle.labels!["pulumi-nfv.dev/bundle"], "1.34.4");
    });

    it("trusts authorities of the site beside the public ones, in all programs", () => {
        const { content, env } = pipelineImage({ ...parts, siteAuthorities: "site\n" });
        strictEqual(content.texts!["/etc/ssl/certs/ca-certificates.crt"], "public\nsite\n");
        strictEqual(content.texts![env!["NODE_EXTRA_CA_CERTS"]!], "site\n");
        ok(!("NODE_EXTRA_CA_CERTS" in image.env!));
    });

    it("has the same settings, versions and places as the Containerfile", () => {
        const text = readFileSync(join(projectRoot, "examples/pipelines/image/Containerfile"), "utf8");
        const [, block] = /^ENV ([\s\S]*?[^\\])\n(?=\S)/m.exec(text)!;
        const env = Object.fromEntries(block!.split(/\s*\\\n\s*/).map(line => line.split(/=(.*)/).slice(0, 2)));
        deepStrictEqual(env, image.env);
        const [, user] = /^USER (.*)$/m.exec(text)!;
        const [, folder] = /^WORKDIR (\/work)$/m.exec(text)!;
        deepStrictEqual([user, folder], [image.user, image.workingDir]);
        for (const key of ["title", "description"])
            ok(
                text.includes(`org.opencontainers.image.${key}="${image.labels![`org.opencontainers.image.${key}`]}"`),
                key,
            );
        ok(text.includes(`pulumi-v${versions.pulumi}-linux-x64.tar.gz`));
        for (const program of ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"])
            match(text, new RegExp(` pulumi/${program}( |;)`));
    });
});
