import { strictEqual } from "node:assert/strict";
import { parse } from "yaml";
import { placeApiServerFiles } from "../../../../provider/kubeadm/api-server-files";
import { auditPolicyFile } from "../../../../provider/kubeadm/paths";
import { nodeSpec } from "../sample-specs";

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
        const files = placeApiServerFiles(await nodeSpec({ role: "controlPlane" }))!.files!;
        rules = parse(files.find(file => file.path === auditPolicyFile)!.content as string).rules;
    });

    /** As the API server does: the first rule that fits. */
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
