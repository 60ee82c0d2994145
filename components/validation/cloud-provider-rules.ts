import { cloudVersionFor } from "../../provider/cloud-provider/images";
import { cloudProviderFor } from "../../provider/kubernetes/releases";
import type { PlainArgs } from "../common/plain-args";
import { dnsLabel, dnsLabelRule, type Problem, type Rule } from "./rule";
import { choice, oneDefault } from "./server-rules";

type Given = NonNullable<PlainArgs["cloudProvider"]>;
type Part = "cloudControllerManager" | "cinderCsi";

const parts: Part[] = ["cloudControllerManager", "cinderCsi"];
/** For which the images of the driver have programs. */
const classFileSystems = ["ext3", "ext4", "xfs"];
const policies = ["Delete", "Retain"];
const bindingModes = ["WaitForFirstConsumer", "Immediate"];

const version = (part: Part, given: Given, kubernetes: string): Problem[] => {
    const settings = given[part];
    if (!settings || settings.enabled === false) return [];
    const at = `cloudProvider.${part}.version`;
    if (settings.version !== undefined) {
        const form = /^v\d+\.\d+\.\d+([-.][0-9A-Za-z.-]+)?$/;
        return form.test(settings.version)
            ? []
            : [[at, `"${settings.version}" is no version: write it like "v1.36.0"`]];
    }
    if (cloudVersionFor(kubernetes) !== undefined) return [];
    const newest = cloudProviderFor(kubernetes);
    const known = newest === undefined ? "" : `; the newest one is ${newest.version}, for ${newest.minor}`;
    return [[at, `is required: none is known for Kubernetes ${kubernetes}${known}`]];
};

/** What is wrong with the settings of OpenStack's own components in the cluster. */
export const cloudProviderRules: Rule<PlainArgs> = ({ cloudProvider: given, infrastructure, kubernetes }) => {
    if (!given) return [];
    const { credentials = {}, cinderCsi } = given;
    const problems: Problem[] = [];
    const at = "cloudProvider";
    if (infrastructure.hosts) problems.push([at, "has no meaning with infrastructure.hosts: use heat or nova"]);
    if (parts.every(part => given[part] === undefined)) problems.push([at, `set at least one of: ${parts.join(", ")}`]);
    problems.push(...parts.flatMap(part => version(part, given, kubernetes.version)));

    const [id, secret] = ["applicationCredentialId", "applicationCredentialSecret"] as const;
    for (const [key, other] of [
        [id, secret],
        [secret, id],
    ] as const) {
        // A value that is not known yet is present, as undefined.
        if (key in credentials && !(other in credentials)) {
            problems.push([`${at}.credentials.${other}`, `is required with ${key}`]);
        }
    }
    if (credentials.roles && id in credentials) {
        problems.push([
            `${at}.credentials.roles`,
            `has no meaning with ${id}: its roles are those that it was made with`,
        ]);
    }
    for (const [name, each] of Object.entries(cinderCsi?.storageClasses ?? {})) {
        const place = `${at}.cinderCsi.storageClasses.${name}`;
        if (!dnsLabel.test(name)) problems.push([place, dnsLabelRule]);
        problems.push(...choice(`${place}.fsType`, each.fsType, classFileSystems));
        problems.push(...choice(`${place}.reclaimPolicy`, each.reclaimPolicy, policies));
        problems.push(...choice(`${place}.volumeBindingMode`, each.volumeBindingMode, bindingModes));
    }
    problems.push(...oneDefault(`${at}.cinderCsi.storageClasses`, cinderCsi?.storageClasses ?? {}));
    return problems;
};
