import { storedResources } from "../stored-cluster";
import type { CloudRun, ServerTimes } from "./moments";

/** Prints when logins to a server became possible and when its cloud-init ended: "at WHAT SECONDS". For root by sudo. */
export const bootScript = [
    'stat -c "at %n %.3Y" /run/sshd.pid "/home/$SUDO_USER/.ssh/authorized_keys" /run/cloud-init/result.json',
    'date -d "$(systemctl show -P ActiveEnterTimestamp --timestamp=us+utc systemd-user-sessions)" "+at logins %s.%3N"',
].join("\n");

/** The last of the times that bootScript printed. */
export function parseBoot(text: string): number {
    const times = [...text.matchAll(/^at \S+ ([\d.]+)$/gm)].map(([, time]) => Number(time));
    if (times.length === 0) {
        throw new Error(`no times of the boot in: ${text}`);
    }
    return Math.max(...times);
}

/** Seconds since 1970. The cloud's services omit the time zone: it is UTC. */
export function epoch(text: string): number {
    const time = Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`) / 1000;
    if (Number.isNaN(time)) {
        throw new Error(`no time: "${text}"`);
    }
    return time;
}

/** From `openstack server show -f json`. */
export function serverTimes(shown: Record<string, unknown>): Omit<ServerTimes, "ready"> {
    return {
        created: epoch(String(shown["created"] ?? shown["created_at"])),
        launched: epoch(String(shown["OS-SRV-USG:launched_at"] ?? shown["launched_at"])),
    };
}

export interface StackEventRow {
    resource_name: string;
    resource_status: string;
    event_time: string;
}

/** From `openstack stack event list -f json`: the stack's own events have its name. */
export function stackTimes(stack: string, events: readonly StackEventRow[]): NonNullable<CloudRun["stack"]> {
    const time = (status: string) => {
        const found = events.find(event => event.resource_name === stack && event.resource_status === status);
        if (found === undefined) {
            throw new Error(`the stack ${stack} has no event ${status}`);
        }
        return epoch(found.event_time);
    };
    return { began: time("CREATE_IN_PROGRESS"), ended: time("CREATE_COMPLETE") };
}

/** What the bench reads from the state about a machine. */
export interface StoredMachine {
    name: string;
    serverId: string;
    connection: { host: string; user: string; privateKey: string };
}

export function storedMachines(exported: string): StoredMachine[] {
    return ofType(exported, "Host").map(({ outputs }) => ({
        name: nameOf(outputs),
        serverId: outputs["serverId"] as string,
        connection: outputs["connection"] as StoredMachine["connection"],
    }));
}

/** When operations ended, as the engine recorded it. */
export function operationTimes(exported: string): Pick<CloudRun, "hosts" | "nodes" | "ready"> {
    const times = (type: string) =>
        Object.fromEntries(ofType(exported, type).map(({ inputs, created }) => [nameOf(inputs), epoch(created ?? "")]));
    const [end] = ofType(exported, "OperationEnd");
    return { hosts: times("Host"), nodes: times("Node"), ready: epoch(end?.created ?? "") };
}

const ofType = (exported: string, type: string) => storedResources(exported).filter(each => each.type === type);

const nameOf = (stored: Record<string, unknown>) => (stored["spec"] as { name: string }).name;
