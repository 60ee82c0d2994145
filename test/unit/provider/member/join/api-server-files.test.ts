import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { auditPolicyFile } from "../../../../../provider/kubeadm/paths";
import { placeApiServerFilesBy } from "../../../../../provider/member/join/api-server-files";
import { runWithKubectl } from "../../network/fake-kubectl";
import { nodeSpec } from "../../sample-specs";

interface Rule {
    level: string;
    verbs?: string[];
    users?: string[];
    userGroups?: string[];
    resources?: { group: string; resources: string[] }[];
    nonResourceURLs?: string[];
}

interface Request {
    verb: string;
    user: string;
    groups?: string[];
    resource: string;
    group?: string;
}

describe("the audit policy", () => {
    let rules: Rule[];
    before(async () => {
        const files = placeApiServerFilesBy("init")(await nodeSpec({ role: "controlPlane" }))!.files!;
        rules = parse(files.find(file => file.path === auditPolicyFile)!.content as string).rules;
    });

    /** Applies the first matching rule, as the API server does. */
    const levelOf = ({ verb, user, groups = [], resource, group = "" }: Request) =>
        rules.find(
            rule =>
                rule.nonResourceURLs === undefined &&
                (rule.verbs?.includes(verb) ?? true) &&
                (rule.users?.includes(user) ?? true) &&
                (rule.userGroups?.some(each => groups.includes(each)) ?? true) &&
                (rule.resources?.some(each => each.group === group && each.resources.includes(resource)) ?? true),
        )?.level;
    const node = { user: "system:node:w1", groups: ["system:nodes"] };

    it("keeps who reads Secrets and who asks for tokens: nodes and the control plane too", () => {
        for (const verb of ["get", "list", "watch"]) {
            strictEqual(levelOf({ ...node, verb, resource: "secrets" }), "Metadata");
            strictEqual(levelOf({ user: "system:kube-controller-manager", verb, resource: "secrets" }), "Metadata");
        }
        strictEqual(levelOf({ ...node, verb: "create", resource: "serviceaccounts/token" }), "Metadata");
    });

    it("leaves out other reads by nodes, leases and events", () => {
        strictEqual(levelOf({ ...node, verb: "get", resource: "pods" }), "None");
        strictEqual(levelOf({ user: "x", verb: "update", resource: "leases", group: "coordination.k8s.io" }), "None");
        strictEqual(levelOf({ user: "x", verb: "create", resource: "events" }), "None");
    });

    it("never has bodies, in which secrets would stand", () => {
        strictEqual(
            rules.every(({ level }) => ["None", "Metadata"].includes(level)),
            true,
        );
    });
});

/** When the API server's process is ended, another one starts, which is ready unless its policy is "bad". */
const world = `
    policy="$ROOT/etc/kubernetes/pulumi-nfv/kube-apiserver/audit-policy.yaml"
    kill() { echo "$*" >> "$ROOT/ended"; }
    pgrep() {
        [ "$OTHERS" != none ] || return 0
        [ -n "$OTHERS" ] && process=$OTHERS || { [ -e "$ROOT/ended" ] && process=$(wc -l < "$ROOT/ended") || process=first; }
        mkdir -p "$ROOT/proc/$process"
        [ -n "$OTHERS" ] || printf '%s\\0' kube-apiserver --advertise-address=10.0.0.11 > "$ROOT/proc/$process/cmdline"
        echo "$process"
    }
    curl() { echo x >> "$ROOT/asked"; ! grep -q bad "$policy" || return 7; }
    systemctl() { echo "$*" >> "$ROOT/ended"; }
    sleep() { :; }
    date() { echo x >> "$ROOT/clock"; echo $(($(wc -l < "$ROOT/clock") * 30)); }
`;

describe("a changed audit policy", () => {
    let root: string;
    const file = (path: string) => join(root, path);
    const lines = (path: string) => {
        try {
            return readFileSync(file(path), "utf8").trim().split("\n");
        } catch {
            return [];
        }
    };
    const write = (path: string, text: string) => {
        mkdirSync(dirname(file(path)), { recursive: true });
        writeFileSync(file(path), text);
    };
    const policyFile = "etc/kubernetes/pulumi-nfv/kube-apiserver/audit-policy.yaml";
    const ended = ["-TERM first"];

    beforeEach(() => {
        root = mkdtempSync(join(tmpdir(), "nfv-audit-"));
        write("var/lib/pulumi-nfv/member", "core-1");
        audited();
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));

    /** One run of the step on a control-plane node that has this policy. */
    async function place(policy: string, others = "") {
        if (policy) write(policyFile, policy);
        const audit = { enabled: policy !== "", policy: "" };
        const step = placeApiServerFilesBy("init")(await nodeSpec({ role: "controlPlane", audit }))!;
        const script = (step.run as string).replace(/(?<![\w.}])\/(etc|var\/(?:lib|log)|run|proc)\b/g, `${root}/$1`);
        return runWithKubectl(world + script, { ...step.env, OTHERS: others, ROOT: root }, []);
    }
    const manifest = "etc/kubernetes/manifests/kube-apiserver.yaml";
    const audited = () =>
        write(manifest, `    - --advertise-address=10.0.0.11\n    - --audit-policy-file=${file(policyFile)}\n`);
    const provenFile = "etc/kubernetes/pulumi-nfv/kube-apiserver/.audit-policy.proven";

    it("ends the API server once and waits until it is ready again; the first and an equal one do nothing", async () => {
        for (const policy of ["one", "one"]) strictEqual((await place(policy)).code, 0);
        deepStrictEqual([lines("ended"), lines("asked")], [[], []]);
        strictEqual((await place("two")).code, 0);
        deepStrictEqual(lines("ended"), ended);
        strictEqual(lines("asked").length, 1, "it was asked whether it is ready");
    });

    it("with which the API server does not come back stops at this master, also the next time, until it is corrected", async () => {
        await place("one");
        for (let i = 0; i < 2; i++) {
            const { code, stderr } = await place("bad");
            strictEqual(code, 1);
            match(stderr, /does not start with this audit policy .*: the other masters keep theirs/);
        }
        strictEqual((await place("three")).code, 0);
    });

    it("with which the API server does not come back is taken back: it runs with the former one", async () => {
        await place("one");
        await place("two");
        const { code, stderr } = await place("bad");
        strictEqual(code, 1);
        match(stderr, /the former one is back here/);
        deepStrictEqual(lines(provenFile), ["two"]);
        deepStrictEqual(lines(policyFile), ["two"]);
        deepStrictEqual(lines("ended").slice(-1), ["restart kubelet.service"]);
        const before = lines("ended").length;
        strictEqual((await place("two")).code, 0);
        strictEqual(lines("ended").length, before, "nothing restarts again");
    });

    it("with which it does not come back is no known one: the way back to the former one waits, where no copy of that is there", async () => {
        await place("one");
        rmSync(file("etc/kubernetes/pulumi-nfv/kube-apiserver/.audit-policy.proven"), { force: true });
        strictEqual((await place("bad")).code, 1);
        const asked = lines("asked").length;
        strictEqual((await place("one")).code, 0);
        strictEqual(lines("asked").length, asked + 1);
    });

    it("is not waited for on a machine that is no member yet: init and join do that", async () => {
        rmSync(file("var/lib/pulumi-nfv/member"));
        await place("one");
        strictEqual((await place("bad")).code, 0);
        deepStrictEqual(lines("ended"), ended);
    });

    it("restarts nothing where the API server has no policy yet, and is not taken for proven", async () => {
        write(manifest, "    - --advertise-address=10.0.0.11\n");
        for (const policy of ["", "bad", "one"]) strictEqual((await place(policy)).code, 0);
        deepStrictEqual([lines("ended"), lines("asked"), lines(provenFile)], [[], [], []]);
    });

    it("that keeps the API server away does not keep audit from being turned off", async () => {
        await place("one");
        rmSync(file(provenFile), { force: true });
        strictEqual((await place("bad")).code, 1);
        strictEqual((await place("")).code, 0);
    });

    it("is not said to be in use where the API server's process cannot be told from those of others, which stay", async () => {
        await place("one");
        for (let i = 0; i < 2; i++) {
            const { code, stderr } = await place("two", "4711");
            strictEqual(code, 1);
            match(stderr, /it cannot be restarted/);
        }
        deepStrictEqual(lines("ended"), []);
    });

    it("is started at once where the API server has ended often with a former one", async () => {
        await place("one");
        strictEqual((await place("two", "none")).code, 1, "it answers, but has no process");
        rmSync(file("ended"), { force: true });
        strictEqual((await place("bad", "none")).code, 1);
        deepStrictEqual(lines("ended")[0], "restart kubelet.service");
    });
});
