import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { extname, join } from "node:path";
import { Lab } from "../../../../lab/lab";
import { readManifest } from "../../../../provider/common/bundle";
import { mirrored } from "../../../../provider/images/push";
import { ensureBundle } from "../../../../tools/bundle";
import { skipIf } from "../../../support/skip";
import { cannotRun } from "../../lab/remains";

describe("a real registry", function () {
    this.timeout(600_000);
    const name = "pushtest";
    let lab: Lab;

    before(async function () {
        skipIf(this, cannotRun());
        lab = await Lab.up({ name, nodes: ["m1"], image: "kubernetes", registry: true });
    });
    after(async () => {
        if (!cannotRun()) await Lab.remove(name);
    });

    it("takes all images of a bundle, once; a node's containerd then pulls them by their own names", async () => {
        const folder = await ensureBundle();
        const files = (await readManifest(folder)).files.filter(({ kind }) => kind === "image");
        const { address, ca } = lab.registry!;
        const push = (authority: string) => {
            const [program, ...words] = lab.enter([
                process.execPath,
                "--require",
                "tsx/cjs",
                join(__dirname, `push-program${extname(__filename)}`),
            ]);
            const place = { address, ca: authority };
            const env = { ...process.env, PUSH: JSON.stringify({ place, folder, files }) };
            return execFileSync(program!, words, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
        };
        assert.match(push(ca), new RegExp(`^${files.length}/${files.length} push `, "m"));
        const began = Date.now();
        push(ca);
        assert.ok(Date.now() - began < 15_000, "what is there is not sent again");

        await lab.mustSsh("m1", `cat > /root/ca.crt <<'PEM'\n${ca}\nPEM`);
        for (const { image } of files) {
            const { repository, tag } = mirrored(image!);
            const url = `https://${address}/v2/${repository}/tags/list`;
            const answer = JSON.parse(await lab.mustSsh("m1", `curl -sS --cacert /root/ca.crt ${url}`));
            assert.deepEqual(answer.tags, [tag], repository);
        }
        const { registry, repository, tag } = mirrored(files[0]!.image!);
        const hosts = "/root/certs.d";
        const toml = `[host."https://${address}"]\\n  capabilities = ["pull", "resolve"]\\n  ca = "/root/ca.crt"\\n`;
        const reference = `${registry}/${repository}:${tag}`;
        await lab.mustSsh(
            "m1",
            `mkdir -p ${hosts}/${registry} && printf '${toml}' > ${hosts}/${registry}/hosts.toml &&
            ctr images pull --hosts-dir ${hosts} ${reference} >/dev/null`,
        );
        assert.ok((await lab.mustSsh("m1", "ctr images list -q")).split("\n").includes(reference));
    });
});
