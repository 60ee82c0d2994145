/** The stable address of the API: at most one of `vip` and `external` is set. With neither, the address of the only control-plane node. */
export interface EndpointArgs {
    /** An address that keepalived moves between the control-plane nodes, with HAProxy behind it. */
    vip?: VipArgs;
    /** An existing load balancer that forwards to port 6443 of all control-plane nodes. */
    external?: ExternalEndpointArgs;
}

/** A virtual IP address. */
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
     * @format interfaceName
     */
    interface?: string;
    /**
     * VRRP's number of this address, 1 to 255; it must be unique on the network.
     * @default derived from the cluster's name and the address
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
