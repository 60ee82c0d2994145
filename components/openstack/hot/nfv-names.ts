/** The members of `[nfv, VDU | CP, name, member, …]`: which input fills each of them, and which UserData class reads it. */

export type NfvKind = "VDU" | "CP";

/** Place of the inputs that fill each kind. */
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

/** Members that classes of both APIs fill. */
const common = ["desired_capacity", "network", "fixed_ips", "port"];
const v1 = [...Object.keys(flavorAndImage), ...common];
const v2 = ["computeFlavourId", "vcImageId", "locationConstraints", ...common];

/** A UserData class of Tacker by what it does: values for the template's parameter `nfv`. */
export interface UserDataClass {
    /** Members that it fills. */
    members: readonly string[];
    /** Each copy of a VDU has entries of its own, `<name>-<index>` from 0. */
    indexed: boolean;
}

/** The classes that are known; Python itself cannot be run here. */
export const userDataClasses: Record<string, UserDataClass> = {
    KubernetesClusterUserData: { members: v1, indexed: false },
    SampleUserData: { members: v1, indexed: false },
    StandardUserData: { members: v2, indexed: true },
    DefaultUserData: { members: v2, indexed: false },
};

/** Path of the input that fills a reference, below vdus.NAME or connectionPoints.NAME. Undefined: no input does. */
export function inputFor([, kind, , member, ...rest]: string[]): string | undefined {
    const input = isKind(kind) && Object.hasOwn(inputs[kind], member) ? inputs[kind][member] : undefined;
    if (input !== "fixedIps" || rest.length < 2) return input;
    const field = rest[1] === "ip_address" ? "address" : rest[1];
    if (Number(rest[0]) > 0) return `fixedIps[${rest[0]}].${field}`;
    return field === "address" ? "fixedAddress" : field;
}

/**
 * What to write where a reference has no value. `path`: as Heat looks it up, with a copy's index; `name`: without.
 * @param className undefined where no UserData class fills `nfv`
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

/** JSON of one value at a path; whole numbers are places in a list. */
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
