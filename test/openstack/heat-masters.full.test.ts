import { clusterOnCloud } from "./cluster-on-cloud";
import { killWhileStackIsMade } from "./kill-run";

// In npm test: stories/heat.test.ts, with one master.
clusterOnCloud({
    backEnd: "heat",
    size: "three masters and one worker",
    login: "lab-4",
    disturb: killWhileStackIsMade,
});
