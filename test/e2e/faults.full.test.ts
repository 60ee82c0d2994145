import { killedRuns } from "./killed-runs";

killedRuns({ every: 1, atLeast: 25 });
