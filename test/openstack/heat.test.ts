import { clusterOnCloud } from "./cluster-on-cloud";
import { killWhileStackIsMade } from "./kill-run";

clusterOnCloud({ backEnd: "heat", disturb: killWhileStackIsMade });
