/** The stable address of the API: at most one of `vip` and `external` is set. With neither, the address of the only control-plane node. */
export interface EndpointArgs {
    /** An address that keepalived moves between the control-plane nodes, with HAProxy behind it. */
    vip?: VipArgs;
    /** An existing load balancer that forwards to port 6443 of all control-plane nodes. @change rolling: as another address of `vip` */
    external?: ExternalEndpointArgs;
}

/**
 * A virtual IP address.
 * @change rolling: the previous endpoint stays beside the new one until all nodes have moved, also from `vip` to `external` or back; then every worker's
 * kubelet restarts, one after another, and pods keep running. See docs/how-it-works.md#another-endpoint. Refused on a cloud, together with a change of the
 * control-plane nodes or with workers that leave, and if both endpoints cannot coexist
 */
export interface VipArgs {
    /**
     * A free IPv4 address in the control-plane nodes' network. Required with `hosts`.
     * @default with `heat` and `nova` one that the cloud chooses
     * @format ipv4
     */
    address?: string;
    /**
     * Length of the network's prefix.
     * @default 24, with `heat` and `nova` the network's
     * @change restart: keepalived, on all control-plane nodes at once: the address is unreachable for some seconds
     */
    prefixLength?: number;
    /**
     * Port of the API at this address.
     * @default 16443
     */
    port?: number;
    /**
     * Network interface of the control-plane nodes.
     * @default the one that has the node's address
     * @change restart: keepalived, on all control-plane nodes at once: the address is unreachable for some seconds
     * @format interfaceName
     */
    interface?: string;
    /**
     * VRRP's number of this address, 1 to 255; it must be unique on the network.
     * @default derived from the cluster's name and the address
     * @change restart: keepalived, on all control-plane nodes at once: the address is unreachable for some seconds
     */
    virtualRouterId?: number;
}

/** A load balancer that this package does not manage. */
export interface ExternalEndpointArgs {
    /**
     * Name or address.
     * @format host
     */
    host: string;
    /**
     * Port at which the load balancer serves the API.
     * @default 6443
     */
    port?: number;
}
