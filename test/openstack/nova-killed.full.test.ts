import { clusterOnCloud } from "./cluster-on-cloud";
import { killWhilePartsAreMade } from "./kill-run";

// What the killed runs left is in the way of the next one: the cloud takes no second subnet of that range, no second interface of the
// router, no second floating IP on a port, and no port in two servers. All of it is found, proven and made again.
clusterOnCloud({ backEnd: "nova", siteLogin: true, disturb: killWhilePartsAreMade });
