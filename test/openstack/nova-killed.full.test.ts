import { clusterOnCloud } from "./cluster-on-cloud";
import { killWhileServersAreMade } from "./kill-run";

// Servers that the killed run left are found and made again, and so are floating IPs: one that stayed on its port would have Neutron refuse
// the next (FloatingIPPortAlreadyAssociated).
clusterOnCloud({ backEnd: "nova", siteLogin: true, disturb: killWhileServersAreMade });
