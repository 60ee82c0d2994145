import { clusterOnCloud } from "../cluster-on-cloud";
import { killWhileStackIsMade } from "../kill-run";

clusterOnCloud({
    backEnd: "heat",
    size: "one master and one worker",
    login: "lab-4",
    disturb: killWhileStackIsMade,
});
