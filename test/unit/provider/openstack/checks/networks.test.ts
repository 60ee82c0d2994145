import { port, tags } from "../sample-cloud";
import { finds, ref } from "./checking";

describe("the checks of networks, addresses and ways out", () => {
    finds([
        [
            "an unknown network",
            n => {
                n.servers[0]!.networks[0] = { network: ref("lam", "networks.0"), path: "x" };
                n.servers[0]!.floatingIp = undefined;
            },
            /^network-unknown @ networks.0: .*"lam" .* \| Did you mean "lan"/,
        ],
        [
            "an unknown subnet",
            n => {
                n.servers[0]!.networks[0]!.subnet = ref("other", "subnet");
            },
            /^subnet-unknown @ subnet: /,
        ],
        [
            "a subnet of another network",
            n => {
                n.servers[0]!.networks[0]!.subnet = ref("s2", "subnet");
                n.servers[0]!.floatingIp = undefined;
                n.servers[0]!.networks[0]!.portName = "p";
            },
            /^subnet-elsewhere @ subnet: the subnet "s2-name" is not in the network "lan"/,
        ],
        [
            "a network that is switched off",
            (_, f) => {
                f.networks![0]!.admin_state_up = false;
            },
            /^network-down @ network.network/,
        ],
        [
            "a network without subnets",
            (_, f) => {
                f.networks!.push({ id: "n3", name: "bare", subnets: [], admin_state_up: true });
                _.servers[0]!.networks.push({ portName: "core-vip", network: ref("bare", "networks.1"), path: "y" });
                _.servers[1]!.networks = [];
                _.servers[1]!.floatingIp = undefined;
            },
            /^network-empty @ networks.1: the network "bare" has no subnet/,
        ],
        [
            "a port in use",
            (n, f) => {
                n.servers[0]!.networks[0]!.port = ref("somebody", "ports.0");
                f;
            },
            /^port-in-use @ ports.0: the port "somebody" is in use by compute:nova other/,
        ],
        [
            "an unknown port",
            n => {
                n.servers[0]!.networks[0]!.port = ref("none", "ports.0");
            },
            /^port-unknown @ ports.0/,
        ],
        [
            "an unknown security group",
            n => {
                n.securityGroups = [ref("web", "securityGroups.0")];
            },
            /^security-group-unknown @ securityGroups.0: .* \| There is "default"\./,
        ],
        [
            "an address outside of the network",
            n => {
                n.vip!.address = "10.21.0.5";
            },
            /^address-outside @ vip: the address 10.21.0.5 is not in 10.20.0.0\/24/,
        ],
        [
            "an address outside of a network that is made",
            n => {
                n.servers[0]!.networks.push({ portName: "q", made: "san", address: "10.31.0.5", path: "n.1" });
                n.servers[1]!.networks = [];
                n.servers[1]!.floatingIp = undefined;
            },
            /^address-outside @ n.1: the address 10.31.0.5 is not in 10.30.0.0\/24/,
        ],
        [
            "an address that somebody has",
            n => {
                n.vip!.address = "10.20.0.11";
            },
            /^address-taken @ vip: the address 10.20.0.11 is taken by the port somebody/,
        ],
        [
            "an address that the servers before have still, when others come beside them",
            (n, f) => {
                n.vip!.address = "10.20.0.14";
                f.ports!.push({ ...port("core-vip", "n1", "s1", "10.20.0.14"), tags });
                f.kept = "in the stack";
            },
            /^address-taken @ vip: the address 10.20.0.14 is taken by the port core-vip/,
        ],
        [
            "a subnet that overlaps with another one of its router's",
            n => {
                n.networksMade![0]!.subnets[0]!.cidr = "10.20.0.128/25";
            },
            /^subnet-overlaps @ sub.cidr: 10.20.0.128\/25 overlaps with the subnet "s1-name" \(10.20.0.0\/24\)/,
        ],
        [
            "a subnet one address short",
            (_, f) => {
                f.ports!.push(port("more", "n1", "s1", "10.20.0.12", "compute:nova", "other"));
            },
            /^subnet-full @ network.network: 3 more addresses are needed in "s1-name" of the network "lan", 2 are free/,
        ],
        [
            "an external network that is none",
            n => {
                n.externalNetwork = ref("lan", "externalNetwork");
                n.servers.forEach(s => {
                    s.floatingIp = undefined;
                });
                n.floatingIps = [];
            },
            /^network-not-external @ externalNetwork: the network "lan" is not external \| External ones are "public"\./,
        ],
        [
            "an external network that is none, by the id that the cluster keeps: named as the cloud names it",
            n => {
                n.externalNetwork = ref("n1", "externalNetwork");
                n.servers.forEach(s => {
                    s.floatingIp = undefined;
                });
                n.floatingIps = [];
            },
            /^network-not-external @ externalNetwork: the network "lan" is not external/,
        ],
        [
            "two external networks of one name with Nova, whose floating IPs are ordered by name, whichever is meant by its id",
            (n, f) => {
                n.externalNetwork = ref("n2", "externalNetwork");
                n.routersMade![0]!.externalNetwork = ref("n2", "externalNetwork");
                f.networks!.push({ ...f.networks![1]!, id: "n7" });
            },
            /^floating-pool-ambiguous @ externalNetwork: 2 external networks are called "public" \(n2, n7\), .* infrastructure\.heat/,
        ],
        [
            "an unknown external network, for which only external ones are named",
            n => {
                n.externalNetwork = ref("outside", "externalNetwork");
            },
            /^external-network-unknown @ externalNetwork: .* \| There is "public"\.$/,
        ],
        [
            "an unknown external network",
            n => {
                n.externalNetwork = ref("pubic", "externalNetwork");
            },
            /^external-network-unknown @ externalNetwork: .* \| Did you mean "public"/,
        ],
        [
            "a floating IP without an external network",
            n => {
                n.externalNetwork = undefined;
                n.servers[0]!.floatingIp = undefined;
                n.servers[1]!.floatingIp = undefined;
            },
            /^floating-ip-without-network @ access.apiFloatingIp: .* \| Set infrastructure.nova.externalNetwork\./,
        ],
        [
            "a network without a router",
            (_, f) => {
                f.ports = f.ports!.filter(p => p.name !== "router");
            },
            /^network-without-route @ network.network: the network "lan" has no router: a floating IP of "public" could not reach/,
        ],
        [
            "a network whose router leads elsewhere",
            (n, f) => {
                f.routers![0]!.external_gateway_info = { network_id: "n9" };
                n.routers = [];
            },
            /^network-without-route @ network.network: .* has the router "r1", which has no gateway to "public"/,
        ],
        [
            "a network that is made without a router",
            n => {
                n.networksMade![0]!.routed = false;
                n.floatingIps![0]!.network = { made: "san", path: "z" };
            },
            /^network-without-route @ sub: the network "san" gets no router/,
        ],
        [
            "a given router without gateway",
            (n, f) => {
                f.routers!.push({ id: "r2", name: "r2", external_gateway_info: null });
                n.routers = [ref("r2", "network.router")];
            },
            /^network-without-route @ network.router: the router "r2" has no gateway/,
        ],
        [
            "too few floating IPs in the external network",
            (_, f) => {
                f.subnets![1]!.allocation_pools[0]!.end = "172.24.4.101";
            },
            /^floating-ips-exhausted @ externalNetwork: 3 more floating IPs are needed, the external network "public" has 2 left/,
        ],
        [
            "too few floating IPs, as the cloud itself tells",
            (_, f) => {
                f.availability = { n2: { limit: 100, used: 98 } };
            },
            /^floating-ips-exhausted .* has 2 left/,
        ],
        [
            "pods where the nodes are",
            n => {
                n.podCidr = ref("10.20.0.0/16", "podCidr");
            },
            /^cidr-overlap @ podCidr: the pods' network 10.20.0.0\/16 overlaps with the subnet "s1-name" \(10.20.0.0\/24\)/,
        ],
        [
            "services where a network is made",
            n => {
                n.serviceCidr = ref("fd00::/108,10.30.0.128/25", "serviceCidr");
            },
            /^cidr-overlap @ serviceCidr: the services' network .* "sub" \(10.30.0.0\/24\)/,
        ],
    ]);
});
