import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, createReadStream, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Lab } from "../../lab";
import { ensureBundle } from "../../tools/bundle";
import { hasDebianPackages } from "../../tools/debian-packages";
import { tryRun } from "../../tools/run";
import { mirrorFolder } from "../../tools/settings";
import { versions } from "../../tools/versions";
import { packedArchive } from "../support/packed-package";
import { skipIf } from "../support/skip";
import { asStory } from "../support/story";
import { notBuilt } from "../support/user-project";
import { clusterArguments } from "./cluster-fixture";

const image = "registry.site/nfv-pipeline:1";
const canary = "canary-npm-4711";

/** A program of a user: a cluster from the bundle that the image has. */
const program = `import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import * as nfv from "pulumi-nfv";

const args = JSON.parse(readFileSync("args.json", "utf8"));
args.infrastructure.hosts.ssh.privateKey = pulumi.secret(process.env["SITE_KEY"] ?? "");
const core = new nfv.KubernetesCluster("core", nfv.fromConfig(args as nfv.KubernetesClusterArgs));
export const endpoint = core.endpoint;
`;

/**
 * The image for pipelines on the containerd of a node, as a CI system runs it: no Internet, no root, read-only root folder, a checkout that belongs to
 * another user. Its smaller counterpart: test/unit/tools/pipeline-image.test.ts.
 */
describe("the image for pipelines", function () {
    this.timeout("20m");
    asStory(this);
    let folder: string;
    let lab: Lab;
    let digest: string;
    const site = (...names: string[]) => join(folder, "site", ...names);
    const file = (name: string) => join(folder, name);

    before(async function () {
        skipIf(this, notBuilt());
        skipIf(this, !(await hasDebianPackages()) && "without apt there are no files for the image");
        folder = mkdtempSync(join(tmpdir(), "nfv-image-"));
        mkdirSync(site());
        writeFileSync(site("package.json"), '{ "name": "site", "private": true }');
        const pins = ["@pulumi/pulumi@3.248.0", `@pulumi/kubernetes@${versions["plugin-kubernetes"]}`];
        const install = ["npm", "install", "--silent", "--ignore-scripts", "--no-audit", await packedArchive(folder)];
        const fetched = await tryRun([...install, ...pins, "typescript@5.9.3", "ts-node@10.9.2"], { cwd: site() });
        skipIf(this, fetched.exitCode !== 0 && `npm cannot install the packages: ${fetched.stderr.slice(-300)}`);
        const secrets = {
            ".npmrc": `//registry.site/:_authToken=${canary}`,
            ".env": canary,
            "Pulumi.site.yaml": canary,
        };
        for (const [name, text] of Object.entries(secrets)) writeFileSync(site(name), text);
        writeFileSync(site("node_modules/.cached-login"), canary);
        await Lab.remove("airgap");
        const report = (text: string) => console.log(`      ${text}`);
        lab = await Lab.up({ name: "airgap", nodes: ["m1", "w1"], image: "kubernetes", report });
    });
    after(async () => {
        await lab?.down();
        if (folder) rmSync(folder, { recursive: true, force: true });
    });

    const make = async (project: string, out: string) => {
        const argv = ["npx", "nfv", "image", "--name", image, "--bundle", await ensureBundle(), "--out", out];
        const mirror = mirrorFolder();
        const env = mirror === undefined ? {} : { PULUMI_NFV_MIRROR: mirror };
        const { exitCode, stdout, stderr } = await tryRun(argv, { cwd: project, env });
        assert.equal(exitCode, 0, stderr);
        assert.equal(stdout, `${out}\n`);
        console.log(`      ${stderr.trim().split("\n").at(-1)}`);
        return /@(sha256:[0-9a-f]{64}): /.exec(stderr)![1]!;
    };

    let count = 0;
    const flags = (state: string) => {
        const folders = { "/work": "/srv/checkouts", "/state": state, "/run/secrets": "/srv/secrets" };
        const mounts = [
            "type=tmpfs,src=tmpfs,dst=/tmp,options=nosuid:nodev:mode=1777",
            ...Object.entries(folders).map(([dst, src]) => `type=bind,src=${src},dst=${dst},options=rbind:rw`),
        ];
        return `--net-host --read-only --env-file /srv/env ${mounts.map(mount => `--mount ${mount}`).join(" ")}`;
    };
    /** Runs a shell command in a container of its own, as the image's user; `user`: another UID:GID, in one container that stays, with a state of its own. */
    const inImage = (command: string, user?: string) => {
        const call = user
            ? `ctr -n k8s.io tasks exec --exec-id run${count++} --user ${user} others`
            : `ctr -n k8s.io run --rm ${flags("/srv/state")} ${image} job${count++}`;
        return lab.ssh("w1", `${call} bash -euc '${command.replaceAll("'", `'\\''`)}'`);
    };
    const succeeds = async (command: string, user?: string) => {
        const { code, stdout, stderr } = await inImage(command, user);
        assert.equal(code, 0, `${stdout}${stderr}`);
        return stdout;
    };
    const withKey = (command: string) => `cd site; SITE_KEY=$(cat /run/secrets/key); export SITE_KEY; ${command}`;

    it("is made by npx nfv image in a project, without a container engine; again elsewhere it is the same", async () => {
        digest = await make(site(), file("image.tar"));
        cpSync(site(), file("copy"), { recursive: true, verbatimSymlinks: true });
        assert.equal(await make(file("copy"), file("again.tar")), digest);
        rmSync(file("again.tar"));
        assert.ok(statSync(file("image.tar")).size < 500e6, `${statSync(file("image.tar")).size}`);
    });

    it("is known to a node's containerd by its name", async () => {
        const [command, ...argv] = [...lab.sshArgv("w1", "root"), "ctr -n k8s.io images import -"];
        const child = spawn(command!, argv, { stdio: ["pipe", "inherit", "inherit"] });
        createReadStream(file("image.tar")).pipe(child.stdin);
        assert.equal(await new Promise(resolve => child.on("close", resolve)), 0);
        const list = await lab.mustSsh("w1", `ctr -n k8s.io images list name==${image}`);
        assert.ok(list.includes(digest), list);
    });

    it("runs as a user that is not root, with all libraries that its programs need, and holds nothing of the project but packages", async () => {
        const { privateKey } = lab.node("m1");
        const settings = [
            ...["PULUMI_BACKEND_URL=file:///state", "PULUMI_CONFIG_PASSPHRASE=canary-passphrase", "NFV_STACK=site"],
            ...["NFV_ALLOW=instantiate", "NFV_BRANCH=main", "NFV_REPORTS=/work/reports"],
        ];
        await lab.mustSsh("w1", "cd /srv && mkdir checkouts state other secrets && chmod 1777 checkouts state other");
        await lab.mustSsh("w1", `umask 077; cat >/srv/env <<'END'\n${settings.join("\n")}\nEND`);
        await lab.mustSsh("w1", `cat >/srv/secrets/key <<'END'\n${privateKey}\nEND`);
        await lab.mustSsh(
            "w1",
            "nft add table inet watch; nft add chain inet watch out '{ type filter hook output priority 0; }'",
        );
        for (const rule of [
            "ip daddr != { 10.99.0.0/24, 127.0.0.0/8 } meta l4proto { tcp, udp } counter",
            "meta l4proto { tcp, udp } th dport 53 counter",
        ])
            await lab.mustSsh("w1", `nft add rule inet watch out ${rule}`);
        await lab.mustSsh("w1", `ctr -n k8s.io run -d --null-io ${flags("/srv/other")} ${image} others sleep infinity`);
        assert.equal(await succeeds("id -u; id -g; touch /x 2>/dev/null || echo read-only"), "1001\n0\nread-only\n");
        const programs =
            "/usr/bin/* /usr/sbin/* /usr/lib/git-core/* /usr/lib/openssh/* /usr/local/bin/node /usr/lib/x86_64-linux-gnu/*.so.*";
        assert.equal(await succeeds(`ldd ${programs} 2>/dev/null | grep "not found" || true`), "");
        const found = `grep -rlF ${canary} /etc /home /node_modules /opt /root /usr/local /var 2>/dev/null || true`;
        assert.equal(await succeeds(found, "0:0"), "");
    });

    for (const user of ["1001:0", "12345:12345"])
        it(`finds its tools, and nothing that it would have to fetch, as ${user} without HOME`, async () => {
            const text = await succeeds("env -u HOME nfv doctor", user);
            assert.match(text, /^Pulumi CLI.* installed +\/usr\/local\/bin\/pulumi$/m);
            assert.match(
                text,
                new RegExp(`^Pulumi plugin kubernetes +${versions["plugin-kubernetes"]} +installed`, "m"),
            );
            assert.match(text, /^sources +installed /m);
            const others = await succeeds("env -u HOME pulumi version; npm -v; git --version; jq --version", user);
            assert.match(others, new RegExp(`^v${versions.pulumi}\n\\d+\\.`));
            if (user === "1001:0") await succeeds("ssh-keygen -q -t ed25519 -N '' -f /tmp/key", user);
        });

    it("shows the plan of a checkout that has no node_modules and belongs to another user", async () => {
        const args = clusterArguments(lab, { masters: ["m1"], workers: [] }) as Record<string, any>;
        const source = { bundle: { path: "/opt/nfv/bundle" } };
        // The version is pinned for longer than upstream supports it.
        args["kubernetes"] = { ...args["kubernetes"], source, allowUnsupportedVersion: true };
        delete args["registries"];
        const files = { "index.ts": program, "args.json": JSON.stringify(args) };
        const others = { "Pulumi.yaml": "name: site\nruntime: nodejs\n", "package.json": '{ "main": "index.ts" }' };
        await lab.mustSsh("w1", "mkdir /srv/checkouts/site");
        for (const [name, text] of Object.entries({ ...files, ...others }))
            await lab.mustSsh("w1", `cat >/srv/checkouts/site/${name} <<'END'\n${text}\nEND`);
        await lab.mustSsh("w1", "chmod -R a+rwX /srv/checkouts");
        await succeeds("cd site; pulumi stack init site");
        const commit = "git -c user.name=test -c user.email=test@localhost commit --quiet -m Site";
        const begin = "git init --quiet --initial-branch=main . && git init --quiet --bare ../origin.git";
        const push = "git remote add origin /work/origin.git && git push --quiet origin main";
        await succeeds(`cd site; ${begin}; git add .; ${commit}; ${push}`, "0:0");
        await lab.mustSsh("w1", "chmod -R a+rwX /srv/checkouts");
        assert.equal(await succeeds("cd site; git status --porcelain"), "");
        const text = await succeeds(withKey("nfv-pipeline.sh plan"));
        assert.match(text, /^core: instantiate control plane \+1 \(m1\)$/m);
        assert.match(
            await lab.mustSsh("w1", "cat /srv/checkouts/reports/plan.env"),
            /^NFV_PLAN=[0-9a-f]{8,}\nNFV_CHANGES=true$/m,
        );
    });

    it("shows the same plan to a user that no file knows", async () => {
        await lab.mustSsh("w1", "cp -r /srv/state/. /srv/other && chown -R 12345:12345 /srv/other");
        const text = await succeeds(
            withKey("NFV_REPORTS=/tmp/reports nfv-pipeline.sh plan; cat /tmp/reports/plan.env"),
            "12345:12345",
        );
        const approved = await lab.mustSsh("w1", "cat /srv/checkouts/reports/plan.env");
        assert.ok(text.endsWith(approved), text);
    });

    it("ends with the exit code of nfv where a guard refuses", async () => {
        const { code, stderr } = await inImage(withKey("NFV_ALLOW=scale nfv-pipeline.sh plan"));
        assert.equal(code, 4, stderr);
        assert.match(stderr, /GUARD_REFUSED/);
        await succeeds(withKey("nfv-pipeline.sh plan"));
    });

    it("runs that plan: a cluster from the bundle that is in the image", async () => {
        await succeeds(withKey('. /work/reports/plan.env; nfv-pipeline.sh run "$NFV_PLAN"'));
        const nodes = await lab.mustSsh("m1", "kubectl --kubeconfig /etc/kubernetes/admin.conf get nodes --no-headers");
        assert.match(nodes, new RegExp(`^m1 +Ready .* v${versions.kubernetes}$`, "m"));
    });

    it("looks at the cluster, and finds nothing to heal", async () => {
        const { code, stdout, stderr } = await inImage(withKey("nfv-pipeline.sh heal"));
        assert.equal(code, 0, stdout + stderr);
        assert.match(stderr + stdout, /healthy/);
    });

    it("asked no name server and nothing outside the site for all that", async () => {
        const rules = await lab.mustSsh("w1", "nft list chain inet watch out");
        assert.deepEqual(
            [...rules.matchAll(/packets (\d+)/g)].map(([, packets]) => packets),
            ["0", "0"],
            rules,
        );
    });
});
