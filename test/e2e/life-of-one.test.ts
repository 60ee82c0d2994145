import { asStory } from "../support/story";
import { isEnded } from "./life/ended";
import { Life } from "./life/life";
import { isMade } from "./life/made";
import { keepsSecrets } from "./life/secrets";
import { isUpgraded } from "./life/upgraded";
import { isHeldBack } from "./tenant";

/** One of the two clusters of which a landing has one, in turn: each chapter goes on where the one before has left it. Everything longer is in the files *.full.test.ts. */
describe("a cluster of one control-plane node, from its first run to its last", function () {
    // Waits end when nothing moves (cluster-fixture.ts); this is for what would move for ever.
    this.timeout("60m");
    asStory(this);
    const life = new Life(["m1"], ["w1"]);
    before(() => life.open());
    after(() => life.close());

    isMade(life);
    isUpgraded(life);
    isHeldBack(() => ({ fixture: life.fixture, controlPlane: "m1", worker: "w1" }));
    keepsSecrets(life);
    isEnded(life);
});
