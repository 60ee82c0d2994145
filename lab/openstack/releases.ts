import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SystemName } from "../images";
import { labFolder } from "../paths";

/** What differs between the OpenStack packages of two Debian releases. */
export interface Release {
    /** How Neutron wires servers: the name of its mechanism driver, of its interface driver, and part of its agent's name. */
    driver: "linuxbridge" | "openvswitch";
    /** The agent's package, and those that it needs. */
    packages: string[];
    /** Queue that the agent reads last at its start. */
    queue: string;
}

export const defaultSystem: SystemName = "debian-12";

export const releases: Record<SystemName, Release> = {
    // Zed
    "debian-12": {
        driver: "linuxbridge",
        packages: ["neutron-linuxbridge-agent"],
        queue: "q-agent-notifier-port-update",
    },
    // 2025.1: Neutron has no driver for the Linux bridge any more.
    "debian-13": {
        driver: "openvswitch",
        packages: ["neutron-openvswitch-agent", "openvswitch-switch", "ethtool"],
        queue: "q-agent-notifier-tunnel-update",
    },
};

/** Neutron's agent that wires servers: its name is also that of its service and of its log. */
export const wiringAgent = ({ driver }: Release) => `neutron-${driver}-agent`;

/** Databases of one release fit no other one, so this file lies among the cloud's state. */
export const systemFile = (cloud: string) => join(labFolder(cloud), "state/system");

export const systemOf = (cloud: string): SystemName =>
    existsSync(systemFile(cloud)) ? (readFileSync(systemFile(cloud), "utf8") as SystemName) : defaultSystem;

export const releaseOf = (cloud: string): Release => releases[systemOf(cloud)];
