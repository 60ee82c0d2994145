import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { forceNewCluster } from "../../../../provider/etcd/force-new-cluster";
import { exitCodes } from "../../../../provider/shell/exit-codes";
import { encodeScript } from "../../../../provider/steps/protocol";

/**
 * etcd's file has two lines: the members, and "REVISION KEYS". etcd works if it is its only member. kubelet runs as long as $ROOT/kubelet exists.
 */
const world = `
    members_of() { sed -n 1p "$1" | tr ' ' '\\n' | sed 's#.*#{"id":1,"peerURLs":["https://&:2380"],"name":"&","clientURLs":["https://&:2379"]}#' | tr '\\n' ',' | sed 's/,$//; s/.*/[&]/'; }
    works() { [ "$(sed -n 1p "$1" | wc -w)" = 1 ]; }
    runs() { [ -e "$ROOT/kubelet" ] && [ -e "$ROOT/etc/kubernetes/manifests/etcd.yaml" ]; }
    own=$ROOT/var/lib/etcd/member/snap/db
    curl() {
        case "$*" in
            *:6443/readyz*) return 0 ;;
            *:2379/health*) runs && { [ -n "\${MAJORITY:-}" ] || works "$own"; } && echo '{"health":"true"}' ;;
            *:2380/members*) runs && members_of "$own" ;;
        esac
    }
    nsenter() {
        case "$*" in
            *2380/members) members_of "$copy/member/snap/db" ;;
            *2379/health) works "$copy/member/snap/db" && echo '{"health":"true"}' ;;
        esac
    }
    systemctl() { case $1 in stop) rm -f "$ROOT/kubelet" ;; start) touch "$ROOT/kubelet" ;; esac; }
    ctr() {
        case "$*" in
            *"images mount"*) mkdir -p "$6/usr/local/bin"; cp "$ROOT/etcdutl" "$6/usr/local/bin/etcdutl"; cp "$ROOT/etcdutl" "$6/usr/local/bin/etcd" ;;
            *"images unmount"*) rm -rf "$ETCD_IMAGE_FOLDER" ;;
        esac
    }
    unshare() {
        case "$*" in *--force-new-cluster*)
            [ -z "\${LOSES:-}" ] || sed -i '2s/.*/1000 1/' "$copy/member/snap/db"
            sed -i '1s/.*/m1/' "$copy/member/snap/db" ;;
        esac
        exec sleep 20
    }
    kubectl() {
        echo "$*" | grep -o "node m[0-9]" >> "$ROOT/nodes"
        if [ "$(wc -l < "$ROOT/nodes")" -gt 4 ]; then printf 'Unknown '; else printf 'True '; fi
    }
    pgrep() { :; }
    sync() { :; }
    sleep() { :; }
    moment() {
        echo x >> "$ROOT/moments"
        if [ "$(wc -l < "$ROOT/moments")" = "\${DIES_AT:-}" ]; then kill -KILL $$; fi
    }
    mv() { moment; command mv "$@"; moment; }
    cp() { case "$*" in "-a "*) moment ;; esac; command cp "$@"; }
`;

const manifest = `
spec:
  containers:
  - command:
    - etcd
    - --advertise-client-urls=https://m1:2379
    - --data-dir=/var/lib/etcd
    - --initial-advertise-peer-urls=https://m1:2380
    image: registry.k8s.io/etcd:3.6.5-0
`;

describe("a new cluster of one member from etcd's data", () => {
    let root: string;
    const data = "var/lib/etcd/member/snap/db";
    const ofThree = "m1 m2 m3\n1000 50\n";
    const ofOne = "m1\n1000 50\n";
    const put = (file: string, text: string) => {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), text, { mode: 0o755 });
    };
    const read = (file: string) => (existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : undefined);
    const kept = () => {
        const folder = join(root, "var/lib/etcd");
        const names = readdirSync(folder).filter(name => name.startsWith("before-new-cluster-"));
        return names.map(name => readFileSync(join(folder, name, "member/snap/db"), "utf8"));
    };
    const manifestIsThere = () => existsSync(join(root, "etc/kubernetes/manifests/etcd.yaml"));

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-new-cluster-"));
        put(data, ofThree);
        put("etc/kubernetes/manifests/etcd.yaml", manifest.replace("/var/lib/etcd", `${root}/var/lib/etcd`));
        put("etc/kubernetes/pulumi-nfv/cluster.yaml", "");
        put("kubelet", "");
        put("etcdutl", `#!/bin/sh\nsed -n '2s/\\(.*\\) \\(.*\\)/{"hash":1,"revision":\\1,"totalKey":\\2}/p' "$3"\n`);
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    function run(givenUp: string[], env: Record<string, string> = {}) {
        const { run: script, env: inputs } = forceNewCluster({
            name: "m1",
            address: "10.0.0.11",
            givenUp,
            lostNodes: ["m2", "m3"],
        });

        const text = `${world}\n${script}`.replace(/(?<![\w.}"])\/(etc|var\/lib|run)\b/g, `${root}/$1`);
        const { status, signal, stdout, stderr } = spawnSync("sh", ["-s"], {
            input: encodeScript({ run: text, env: { ...inputs, ...env, ROOT: root } }),
            encoding: "utf8",
        });
        return { code: status, signal, stdout, stderr };
    }
    const lost = ["https://m2:2380", "https://m3:2380"];

    it("has all of its keys; the former data is kept beside it, and etcd runs with its own manifest", () => {
        const { code, stdout, stderr } = run(lost);
        assert.equal(code, 0, stderr);
        assert.match(stdout, /etcd of m1 is a cluster of one member; the former data: .*before-new-cluster-/);
        assert.deepEqual([read(data), kept()], [ofOne, [ofThree]]);
        assert.ok(manifestIsThere() && existsSync(join(root, "kubelet")));
        assert.deepEqual(
            readdirSync(join(root, "var/lib/etcd")).filter(name => name === "new-cluster"),
            [],
        );
    });

    it("ends when the cluster has noticed that the lost nodes are silent: their drain waits for no kubelet then", () => {
        run(lost);
        assert.equal(read("nodes"), "node m2\nnode m3\n".repeat(3));
    });

    it("counts a member that was given up by name", () => {
        const { code, stderr } = run(["m2", "m3"]);
        assert.equal(code, 0, stderr);
    });

    it("is not made again where it is there", () => {
        run(lost);
        const { code, stdout, stderr } = run(lost);
        assert.equal(code, 0, stderr);
        assert.match(stdout, /etcd of m1 is a cluster of one member already/);
        assert.equal(kept().length, 1);
    });

    const untouched = () => {
        assert.deepEqual([read(data), kept()], [ofThree, []]);
        assert.ok(manifestIsThere() && existsSync(join(root, "kubelet")));
        assert.ok(!existsSync(join(root, "var/lib/etcd/new-cluster")));
    };
    for (const { that, givenUp = lost, env, before, code, says } of [
        {
            that: "etcd has a majority",
            env: { MAJORITY: "yes" },
            code: exitCodes.QUORUM_AT_RISK,
            says: /etcd of m1 has a majority; nothing was changed/,
        },
        {
            that: "the data has a member that is not known to be lost",
            givenUp: ["https://m2:2380"],
            code: exitCodes.QUORUM_AT_RISK,
            says: /has the member m3 at https:\/\/m3:2380, which was neither found lost nor given up/,
        },
        {
            that: "the copy has fewer keys than the data",
            env: { LOSES: "yes" },
            code: 1,
            says: /the copy has other content \(revision and keys: 1000 1\) than the data \(1000 50\)/,
        },
        {
            that: "etcd's data is in another folder",
            before: () => put("etc/kubernetes/manifests/etcd.yaml", manifest.replace("/var/lib/etcd", "/data")),
            code: exitCodes.QUORUM_AT_RISK,
            says: /etcd's data is in \/data, not in/,
        },
    ] as {
        that: string;
        givenUp?: string[];
        env?: Record<string, string>;
        before?: () => void;
        code: number;
        says: RegExp;
    }[]) {
        it(`is not made, and all is as it was, where ${that}`, () => {
            before?.();
            const ended = run(givenUp, env);
            assert.equal(ended.code, code, ended.stderr);
            assert.match(ended.stderr, says);
            untouched();
        });
    }

    it("is made whole by the next run, whenever the power failed: no moment has a manifest without data", () => {
        let moments = 0;
        for (let at = 1; ; at++) {
            rmSync(join(root, "var"), { recursive: true, force: true });
            put(data, ofThree);
            put("moments", "");
            const died = run(lost, { DIES_AT: String(at) });
            if (died.signal !== "SIGKILL") {
                assert.equal(died.code, 0, died.stderr);
                break;
            }
            moments++;
            // the machine boots, and kubelet with it
            put("kubelet", "");
            if (manifestIsThere()) assert.ok([ofThree, ofOne].includes(read(data)!), `moment ${at}: ${read(data)}`);
            const { code, stderr } = run(lost);
            assert.equal(code, 0, `moment ${at}: ${stderr}`);
            assert.deepEqual([read(data), kept()], [ofOne, [ofThree]], `moment ${at}`);
            assert.ok(manifestIsThere(), `moment ${at}`);
        }
        assert.ok(moments >= 8, `only ${moments} moments`);
    });
});
