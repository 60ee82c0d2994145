import type { BundleFile } from "../common/model";
import type { CommonInputs, Context, ResourceType } from "../contract/types";
import { changed, failuresOf, text } from "../contract/values";
import { pushImages } from "../images/push";
import type { RegistryPlace } from "../images/registry";

export interface BundleImagesInputs extends CommonInputs {
    clusterName: string;
    /** With its login: secret. */
    registry: RegistryPlace;
    /** Folder of the bundle on the operator's machine. */
    path: string;
    /** The images in the bundle's manifest. */
    files: BundleFile[];
}

export type BundleImagesState = BundleImagesInputs;

/**
 * The images of a bundle in a registry from which all nodes pull. They are never deleted there: others may use them.
 */
export const bundleImages: ResourceType<BundleImagesInputs, BundleImagesState> = {
    check: (_olds, news) => ({
        inputs: news,
        failures: failuresOf(news, { clusterName: text, "registry.address": text, path: text }),
    }),
    diff: (_id, olds, news) => ({ changes: changed(olds, news, ["registry.address", "files"]).length > 0 }),
    create: async (inputs, context) => ({ id: `${inputs.clusterName}/images`, outs: await push(inputs, context) }),
    read: async (id, state) => ({ id, props: state }),
    update: async (_id, _olds, news, context) => ({ outs: await push(news, context) }),
    delete: async () => {},
};

async function push(inputs: BundleImagesInputs, context: Context): Promise<BundleImagesState> {
    await pushImages(inputs.registry, inputs.path, inputs.files, context.report);
    return inputs;
}
