import { evaluate } from "./evaluate";
import { asCall } from "./functions";
import { answerPlaces, nfvText } from "./nfv-names";
import { placeText, templateError } from "./places";
import { rewrite } from "./rewrite";
import { type Member, type Scope, singles } from "./scope";
import type { Value, ValueMap } from "./types";

type Single = Extract<Member, { kind: "single" }>;

/** Refuses two ports with one address in one network, as far as addresses are known here. Neutron would refuse them halfway through the stack. */
export function checkFixedAddresses(scope: Scope): void {
    const seen = new Map<string, Single>();
    for (const { member } of [...scope.members.values()].flatMap(each => singles(each))) {
        for (const { network, address, written } of addressesOf(member)) {
            const key = `${JSON.stringify(network)} ${address}`;
            const other = seen.get(key);
            if (other && other !== member) throw sameAddress(other, member, address, written);
            seen.set(key, member);
        }
    }
}

interface FixedAddress {
    /** Expression of the flat template. */
    network: Value;
    address: string;
    /** Origin of the address, as expression of the flat template. */
    written: Value;
}

/** Ports have fixed addresses, and so have servers that name networks. */
function addressesOf({ type, resource, scope }: Single): FixedAddress[] {
    const { properties } = resource;
    if (type === "OS::Neutron::Port") {
        return fixed(properties, properties.fixed_ips, "ip_address", scope);
    }
    const networks = type === "OS::Nova::Server" ? properties.networks : undefined;
    return Array.isArray(networks)
        ? networks.filter(isMap).flatMap(network => fixed(network, [network], "fixed_ip", scope))
        : [];
}

function fixed(owner: ValueMap, entries: Value | undefined, key: string, scope: Scope): FixedAddress[] {
    if (entries === undefined || entries === null) return [];
    const network = rewrite(owner.network ?? owner.network_id ?? null, scope);
    const list = asCall(entries) ? evaluate(entries, scope) : entries;
    if (!Array.isArray(list)) return [];
    return list.filter(isMap).flatMap(entry => {
        const address = entry[key] === undefined ? undefined : evaluate(entry[key], scope);
        const written = rewrite(asCall(entries) ? entries : entry[key], scope);
        return typeof address === "string" && address !== "" ? [{ network, address, written }] : [];
    });
}

function sameAddress(one: Single, other: Single, address: string, written: Value) {
    const call = asCall(written);
    const path = call?.name === "get_param" && Array.isArray(call.argument) ? call.argument.map(String) : [];
    const point = path[0] === "nfv" && path[1] === "CP" ? path[2].replace(/-\d+$/, "") : undefined;
    return templateError(
        placeText(other.resource.source),
        `${one.name} and ${other.name} would both have the address ${address}`,
        point === undefined
            ? "Let Neutron choose, or give each of them an address of its own."
            : `Leave ${answerPlaces.CP}.${point}.fixedAddress out: Neutron chooses. Or give each copy its own with StandardUserData and ` +
                  `parameters: { nfv: '${nfvText(["CP", `${point}-0`, "fixed_ips", "0", "ip_address"], address)}' }.`,
    );
}

function isMap(value: Value): value is ValueMap {
    return value !== null && typeof value === "object" && !Array.isArray(value);
}
