import { NfvError } from "../../common/errors";
import { importCommand, type Place, storageInput } from "../../contract/place-in-program";
import type { InSession } from "../../contract/types";
import { getVolume } from "../../openstack/cinder";
import { volumeKey } from "../../openstack/requirements";
import { bears, cloudOf } from "./orphan-servers";
import type { PartsOwner } from "./orphans";

/** A volume that will be attached; the state has the volume and its server. */
export interface WantedAttachment {
    instanceId: string;
    volumeId: string;
}

/**
 * Nova attaches a volume to a server only once. An existing attachment stays: software on the machine may have written
 * to it since boot, and we cannot see whether it does. The error shows a way that changes nothing in the cloud.
 * @throws NOT_OURS
 */
export async function refuseSecondAttachment(
    { instanceId, volumeId }: WantedAttachment,
    owner: PartsOwner,
    place: Place,
    context: InSession,
): Promise<void> {
    const volume = await getVolume(await cloudOf(owner, context), volumeId);
    if (!volume?.attachments.some(({ server_id }) => server_id === instanceId)) return;
    const isOwn = bears({ metadata: volume.metadata ?? {} }, owner.mark);
    const note =
        `Note it: ${importCommand("openstack:compute/volumeAttach:VolumeAttach", `${instanceId}/${volumeId}`, place)}. ` +
        "Or, if nothing on the server uses the volume: " +
        `openstack server remove volume ${instanceId} ${volumeId}. Then run pulumi up again.`;
    throw new NfvError({
        code: "NOT_OURS",
        cause: `the volume "${volume.name}" (${volumeId}) is attached to the server ${instanceId} already, and Pulumi's state does not know it, as a killed run leaves it`,
        // With the same volume under two names in the state, the end of the former one would pull it from the server.
        hint:
            isOwn && isGivenById(volumeId, place)
                ? `This program made the volume itself: leave ${storageInput(`volumes.${volume.metadata?.[volumeKey]}.volumeId`, place)} out, and run pulumi up again. If the state has lost the volume, that run says how to note it.`
                : note,
    });
}

/** Attachments of volumes that the program names by id have a name of their own. */
const isGivenById = (volumeId: string, { name }: Place) => name.endsWith(`-${volumeId.slice(0, 8)}`);
