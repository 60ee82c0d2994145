import type { JsonObject } from "./merge";

/** Access to a VIM, as Tacker has it. @see ETSI GS NFV-SOL 003, type VimConnectionInfo */
export interface VimConnection {
    vimId?: string;
    /** "ETSINFV.OPENSTACK_KEYSTONE.V_3", "ETSINFV.KUBERNETES.V_1". */
    vimType: string;
    /** Of OpenStack: { endpoint: URL of Keystone }. */
    interfaceInfo?: JsonObject;
    /** Of OpenStack: username, password, project, userDomain, projectDomain, region. Secret. */
    accessInfo?: JsonObject;
    extra?: JsonObject;
}

/** What a script may want to know and our model of a cluster does not have. All of it is optional. */
export interface TackerSettings {
    /** Deployment flavour of the package. @default the only one that the package has */
    flavourId?: string;
    /** @default descriptor_id of the package */
    vnfdId?: string;
    /**
     * Names of VDUs in the package: "controlPlane" or the name of a pool → vduId.
     * @default "controlPlane" for control-plane nodes, the name of its pool for a worker
     */
    vdus?: Record<string, string>;
    /** Names of scaling aspects in the package: "controlPlane" or the name of a pool → aspectId. @default the vduId */
    aspects?: Record<string, string>;
    /** Names of connection points in the package: "controlPlane" or the name of a pool → cpdId. @default vduId + "_CP1" */
    connectionPoints?: Record<string, string>;
    /** The cluster's Heat stack. If its name is "vnf-ID", as Tacker names stacks, ID becomes the id of the instance. */
    stack?: { name: string; id: string };
    /** By name: `vimConnectionInfo` of the instance and of the requests that have it. The first one counts for Tacker. */
    vimConnectionInfo?: Record<string, VimConnection>;
    /** By name of the node: merged into its entry of vnfcResourceInfo, { w1: { metadata: { stack_id: "…" } } }. */
    vnfcs?: Record<string, JsonObject>;
    /** Merged into the instance. Lists are replaced. */
    instance?: JsonObject;
    /** Merged into the request of the operation: { terminationType: "FORCEFUL" }. */
    request?: JsonObject;
    /**
     * Folder of the package that the cluster changes to. `change_current_package` and `modify_information` have its
     * vnfdId in their request, and `modify_information_end` gets a copy of it as `new_csar_dir`.
     */
    newPackageFolder?: string;
}
