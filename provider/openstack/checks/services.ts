import type { ServiceName } from "../auth";
import type { Problem } from "../requirements";
import { allVolumes, type Check } from "./situation";

/** Services that the catalogue must have. */
export const servicesExist: Check = ({ needs, facts }) => {
    const wanted: [ServiceName, boolean, string][] = [
        ["compute", true, "servers"],
        ["network", true, "ports"],
        ["image", needs.servers.some(server => server.image !== undefined), "images"],
        ["block-storage", allVolumes(needs).length > 0, "volumes"],
        ["orchestration", needs.backEnd === "heat", "infrastructure.heat"],
    ];
    return wanted
        .filter(([service, when]) => when && !facts.services.includes(service))
        .map(([service, , why]) => ({
            id: "service-missing",
            path: `infrastructure.${needs.backEnd}`,
            message: `the cloud has no ${service} service, which is needed for ${why}`,
            hint:
                service === "orchestration"
                    ? "Use infrastructure.nova: it makes the same servers without Heat."
                    : "Check region and interface, or ask the cloud's operator.",
        }));
};

/** Policies by the Nova microversion that introduced them. */
const policyVersions: Record<string, string> = { "soft-anti-affinity": "2.15", "soft-affinity": "2.15" };

export const versionsFit: Check = ({ needs, facts: { computeVersion } }) =>
    (needs.serverGroupsMade ?? []).flatMap(({ policy, path }): Problem[] => {
        const least = policyVersions[policy];
        if (least === undefined || computeVersion === undefined || atLeast(computeVersion, least)) return [];
        return [
            {
                id: "version-too-old",
                path,
                message: `the policy ${policy} needs Nova's API ${least}; this cloud has ${computeVersion || "no microversions"}`,
                hint: "Use anti-affinity or none.",
            },
        ];
    });

function atLeast(version: string, least: string): boolean {
    const [major = 0, minor = 0] = version.split(".").map(Number);
    const [leastMajor = 0, leastMinor = 0] = least.split(".").map(Number);
    return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
