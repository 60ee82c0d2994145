/** The members of `[nfv, VDU | CP, name, member, …]`: which input gives each of them, and which UserData class reads it. */

export type NfvKind = "VDU" | "CP";

/** Place of the inputs for each kind. */
export const answerPlaces: Record<NfvKind, string> = {
    VDU: "infrastructure.heat.template.tacker.vdus",
    CP: "infrastructure.heat.template.tacker.connectionPoints",
};

const flavorAndImage: Record<string, string> = { flavor: "flavor", image: "image" };

/** Member → input of `vdus.NAME`. */
const vduInputs: Record<string, string> = {
    ...flavorAndImage,
    computeFlavourId: "flavor",
    vcImageId: "image",
    locationConstraints: "availabilityZone",
    desired_capacity: "count",
};

/** Member → input of `connectionPoints.NAME`. */
const pointInputs: Record<string, string> = { network: "network", port: "port", fixed_ips: "fixedIps" };

const inputs: Record<NfvKind, Record<string, string>> = { VDU: vduInputs, CP: pointInputs };

/** Members that the classes of both APIs set. */
const common = ["desired_capacity", "network", "fixed_ips", "port"];
const v1 = [...Object.keys(flavorAndImage), ...common];
const v2 = ["computeFlavourId", "vcImageId", "locationConstraints", ...common];

/** Effect of a Tacker UserData class: values for the template's parameter `nfv`. */
export interface UserDataClass {
    /** Members that it sets. */
    members: readonly string[];
    /** Each copy of a VDU has its own entries, `<name>-<index>` from 0. */
    indexed: boolean;
}

/** The known classes; Python code cannot run here. */
export const userDataClasses: Record<string, UserDataClass> = {
    KubernetesClusterUserData: { members: v1, indexed: false },
    SampleUserData: { members: v1, indexed: false },
    StandardUserData: { members: v2, indexed: true },
    DefaultUserData: { members: v2, indexed: false },
};

/** Path of the input for a reference, below vdus.NAME or connectionPoints.NAME. Undefined: there is none. */
export function inputFor([, kind, , member, ...rest]: string[]): string | undefined {
    const input = isKind(kind) && Object.hasOwn(inputs[kind], member) ? inputs[kind][member] : undefined;
    // All other inputs are texts and numbers: nothing is in them.
    if (input !== "fixedIps") return rest.length === 0 ? input : undefined;
    if (rest.length < 2) return input;
    const field = rest[1] === "ip_address" ? "address" : rest[1];
    if (Number(rest[0]) > 0) return `fixedIps[${rest[0]}].${field}`;
    return field === "address" ? "fixedAddress" : field;
}

/**
 * What to write when a reference has no value. `path`: as Heat reads it, with a copy's index; `name`: without.
 * @param className undefined if no UserData class sets `nfv`
 */
export function missingHint(path: string[], name: string, className?: string): string {
    const [, kind, , member] = path;
    const text = `parameters: { nfv: '${nfvText(path.slice(1), "…")}' }`;
    const input = inputFor(path);
    if (className === undefined || input === undefined || !isKind(kind)) return `Give ${text}.`;
    const place = `${answerPlaces[kind]}.${name}.${input}`;
    if (userDataClasses[className].members.includes(member)) return `Give ${place}.`;
    const readers = Object.keys(userDataClasses).filter(each => userDataClasses[each].members.includes(member));
    return (
        `${className} does not fill ${member}; ${readers.join(" and ")} fill it from ${place}: ` +
        `take one of these as userDataClass. Or give ${text}.`
    );
}

/** JSON of one value at a path; whole numbers are positions in a list. */
export function nfvText(path: string[], value: string): string {
    const nested = path.reduceRight<unknown>((inner, key) => {
        if (!/^\d+$/.test(key)) return { [key]: inner };
        return [...Array.from({ length: Number(key) }, () => ({})), inner];
    }, value);
    return JSON.stringify(nested);
}

function isKind(kind: string | undefined): kind is NfvKind {
    return kind === "VDU" || kind === "CP";
}
