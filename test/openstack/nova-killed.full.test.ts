import { clusterOnCloud } from "./cluster-on-cloud";
import { killWhileServersAreMade } from "./kill-run";

// Servers that the killed run left are found and made again. A floating IP that it left is not yet: it stays on its port, and the next
// `up` is refused by Neutron until a person has deleted it.
clusterOnCloud({ backEnd: "nova", siteLogin: true, disturb: killWhileServersAreMade });
