import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { kubeadmScript } from "../../../../provider/kubeadm/kubeadm-script";
import { parseAnswers, parseSurvey } from "../../../../provider/kubeadm/lost-majority";
import { encodeScript } from "../../../../provider/steps/protocol";

const manifest = "    - --initial-advertise-peer-urls=https://10.0.0.11:2380\n";
const members = '[{"id":9,"peerURLs":["https://10.0.0.11:2380"],"name":"m1","clientURLs":["https://10.0.0.11:2379"]}]';

describe("etcd without a majority", () => {
    let root: string;
    const put = (file: string, text: string) => {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), text);
    };
    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-etcd-http-"));
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    /** `curl`: the body of a shell function. */
    const run = (path: string, curl: string, env: Record<string, string> = {}) => {
        const script = kubeadmScript(path).replace(/(?<![\w.}"])\/(etc|var\/lib)\b/g, `${root}/$1`);
        const { stdout, stderr, status } = spawnSync("sh", ["-s"], {
            input: encodeScript({ run: `curl() { ${curl} }\nsleep() { :; }\n${script}`, env }),
            encoding: "utf8",
        });
        assert.equal(status, 0, stderr);
        return stdout;
    };
    const survey = (curl: string) => parseSurvey(run("etcd/print-etcd-survey.sh", curl));
    const asPeer = `case "$*" in *"--http1.1"*https://10.0.0.11:2380/members) echo '${members}' ;; *) return 28 ;; esac`;

    it("still says which members it has: its port for the other members is asked", () => {
        put("etc/kubernetes/manifests/etcd.yaml", manifest);
        put("var/lib/etcd/member/snap/db", "x");
        assert.deepEqual(survey(`${asPeer};`), {
            ...{ curl: true, data: true, healthy: false, halfDone: false },
            members: [{ name: "m1", peerUrl: "https://10.0.0.11:2380", clientUrl: "https://10.0.0.11:2379" }],
        });
    });

    it("is told from one that works, also if it answers only at the third time", () => {
        put("etc/kubernetes/manifests/etcd.yaml", manifest);
        const slow = `echo x >>${root}/asked; [ "$(wc -l <${root}/asked)" -lt 3 ] || echo '{"health":"true","reason":""}';`;
        assert.equal(survey(`case "$*" in */health) ${slow} ;; esac;`).healthy, true);
    });

    it("has an exchange of its data that was interrupted", () => {
        put("etc/kubernetes/pulumi-nfv/etcd-aside.yaml", manifest);
        put("var/lib/etcd/new-cluster/data/member/snap/db", "x");
        const { halfDone, data, members: known } = survey("return 7;");
        assert.deepEqual([halfDone, data, known], [true, true, undefined]);
    });

    it("hears of each other member whether it has a majority, only runs, or is silent", () => {
        const curl = `
            case "$*" in
                *https://a:2379/health) echo '{"health":"true"}' ;;
                *https://b:2379/health) echo '{"health":"false"}' ;;
                *https://c:*) return 28 ;;
                *https://d:2380/version) return 60 ;;
                *https://d:*) return 7 ;;
            esac;`;
        const MEMBERS = ["a", "b", "c", "d"].map(name => `https://${name}:2380 https://${name}:2379`).join("\n");
        assert.deepEqual(parseAnswers(run("etcd/print-etcd-answers.sh", curl, { MEMBERS })), {
            "https://a:2380": "healthy",
            "https://b:2380": "runs",
            "https://c:2380": "silent",
            "https://d:2380": "runs",
        });
    });
});
