import { asStory } from "../support/story";
import { isChanged } from "./life/changed";
import { isEnded } from "./life/ended";
import { isGuarded } from "./life/guarded";
import { Life } from "./life/life";
import { isLostAndHealed } from "./life/lost";
import { isMade } from "./life/made";
import { keepsSecrets } from "./life/secrets";
import { isShrunk } from "./life/shrunk";
import { isUpgraded } from "./life/upgraded";
import { isHeldBack } from "./tenant";

/** The one cluster of a landing: each chapter goes on where the one before has left it. Everything longer is in the files *.full.test.ts. */
describe("a cluster, from its first run to its last", function () {
    // Waits end when nothing moves (cluster-fixture.ts); this is for what would move for ever.
    this.timeout("60m");
    asStory(this);
    const life = new Life();
    before(() => life.open());
    after(() => life.close());

    isMade(life);
    // While it is small: each control-plane node takes two minutes, and upgrade.full.test.ts has three.
    isUpgraded(life);
    isChanged(life);
    isGuarded(life);
    isHeldBack(() => ({ fixture: life.fixture, controlPlane: "m1", worker: "w1" }));
    isShrunk(life);
    isLostAndHealed(life);
    keepsSecrets(life);
    isEnded(life);
});
