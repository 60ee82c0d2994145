import { clusterOnCloud } from "./cluster-on-cloud";
import { killWhilePartsAreMade } from "./kill-run";

// The remains of killed runs disturb the next one: the cloud refuses a second subnet of that range, a second interface of the
// router, a second floating IP on a port, and a port in two servers. All of it must be found, proven ours and made again.
clusterOnCloud({ backEnd: "nova", siteLogin: true, disturb: killWhilePartsAreMade });
