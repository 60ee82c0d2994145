import { NfvError } from "../errors";
import { getVolume } from "../openstack/cinder";
import { cloudOf } from "./orphan-servers";
import type { PartsOwner } from "./orphans";

/** A volume that is to be attached; the state knows it and its server. */
export interface WantedAttachment {
    instanceId: string;
    volumeId: string;
}

/** Where the resource stands in the program: what `pulumi import` has to be given. */
export interface Place {
    /** Pulumi's name of the resource. */
    name: string;
    /** URNs. */
    parent: string;
    provider?: string;
}

/**
 * Nova attaches a volume to a server once. One that is attached stays: software on the machine may write to it since it booted, and we
 * cannot see whether it does. The error names a way out that changes nothing in the cloud.
 * @throws NOT_OURS
 */
export async function refuseSecondAttachment(
    { instanceId, volumeId }: WantedAttachment,
    owner: PartsOwner,
    { name, parent, provider }: Place,
): Promise<void> {
    const volume = await getVolume(await cloudOf(owner), volumeId);
    if (!volume?.attachments.some(({ server_id }) => server_id === instanceId)) return;
    const given = [`'parent=${parent}'`, ...(provider === undefined ? [] : [`--provider 'provider=${provider}'`])];
    throw new NfvError({
        code: "NOT_OURS",
        cause: `the volume "${volume.name}" (${volumeId}) is attached to the server ${instanceId} already, and Pulumi's state does not know it, as a killed run leaves it`,
        hint:
            `Note it: pulumi import openstack:compute/volumeAttach:VolumeAttach ${name} ${instanceId}/${volumeId} --parent ${given.join(" ")} ` +
            "--protect=false --generate-code=false. Or, if nothing on the server uses the volume: " +
            `openstack server remove volume ${instanceId} ${volumeId}. Then run pulumi up again.`,
    });
}
