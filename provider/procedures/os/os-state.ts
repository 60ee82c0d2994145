import type { Connection } from "../../ssh/types";
import { query } from "../../steps/query";
import type { NodeLook, StoredRequest } from "../node-by-node/procedure";
import { parseNote } from "../node-by-node/request-note";
import { osScripts } from "./acts";

/** A package that an upgrade brings. */
export interface ComingPackage {
    name: string;
    /** Undefined: it is new, because another one needs it. */
    from?: string;
    to: string;
    security: boolean;
}

/** What the state keeps. */
export interface StoredOsUpgrade extends StoredRequest {
    /** "all", "security", or patterns of names, separated by spaces. */
    packages: string;
    reboot: "ifNeeded" | "always" | "never";
    rebootTimeoutSeconds: number;
}

/** What a machine says of its operating system. */
export interface OsState extends NodeLook {
    boot: string;
    /** The kernel that runs. */
    kernel: string;
    /** It needs a reboot already. */
    needsReboot: boolean;
    /** The newest kernel that is installed, where that is another one. */
    newestKernel?: string;
    /** Day of the lists by which the machine knows what is due. */
    lists: string;
    packages: ComingPackage[];
    /** Packages that would have to go. */
    removes: string[];
}

/** The commands that ask; fake nodes in tests recognise them. */
export const osStateArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-os"];
export const bootArgv: readonly string[] = ["sh", "-s", "pulumi-nfv-boot"];

export async function lookAtOs(machine: Connection, node: string, packages: string): Promise<OsState> {
    const asked = { step: "look at the packages of the operating system", script: osScripts.state(), node };
    const said = await query(machine, {
        ...asked,
        argv: osStateArgv,
        env: { PACKAGES: packages },
        timeoutSeconds: 120,
    });
    return parseOsState(said);
}

export function parseOsState(text: string): OsState {
    const lines = text.split("\n").map(line => /^([a-z]+)=(.*)$/.exec(line) ?? ["", "", ""]);
    const all = (key: string) => lines.filter(([, name]) => name === key).map(([, , value = ""]) => value.trim());
    const words = (key: string) => (all(key)[0] ?? "").split(" ").filter(Boolean);
    const note = parseNote(all("note")[0]);
    const [needs, newest] = words("reboot");
    const kernel = words("kernel")[0] ?? "";
    return {
        ...(note !== undefined && { note }),
        boot: words("boot")[0] ?? "",
        kernel,
        needsReboot: needs === "yes",
        ...(newest !== undefined && newest !== kernel && { newestKernel: newest }),
        lists: words("lists")[0] ?? "",
        packages: all("package").map(line => {
            const [name = "", from = "-", to = "", kind] = line.split(" ");
            return { name, ...(from !== "-" && { from }), to, security: kind === "security" };
        }),
        removes: words("removes"),
    };
}

/** Whether the machine is to reboot after the upgrade. Pure. */
export const wantsReboot = (stored: Pick<StoredOsUpgrade, "reboot">, { needsReboot }: OsState) =>
    stored.reboot === "always" || (stored.reboot === "ifNeeded" && needsReboot);

/** The version of the kernel that the machine has after the upgrade, where that is another one. Pure. */
export function nextKernel({ packages, newestKernel }: OsState): string | undefined {
    const names = packages.flatMap(({ name, from, to }) => {
        if (name === "kernel-core" || name === "kernel") return [to];
        const version = from === undefined ? /^linux-image-(?:unsigned-)?(\d\S*)$/.exec(name)?.[1] : undefined;
        return version === undefined ? [] : [version];
    });
    return names.at(-1) ?? newestKernel;
}

/** The id of the machine's present boot: another boot has another one. */
export async function bootOf(machine: Connection, node: string): Promise<string> {
    const script = "cat /proc/sys/kernel/random/boot_id";
    return (
        await query(machine, { step: "look at the boot", script, argv: bootArgv, node, timeoutSeconds: 10 })
    ).trim();
}
