import { asStory } from "../support/story";
import { isChanged } from "./life/changed";
import { isEnded } from "./life/ended";
import { isGuarded } from "./life/guarded";
import { Life } from "./life/life";
import { isLostAndHealed } from "./life/lost";
import { isMade } from "./life/made";
import { keepsSecrets } from "./life/secrets";
import { isShrunk } from "./life/shrunk";

/** The other one: see life-of-one.test.ts. */
describe("a cluster that grows to three control-plane nodes, from its first run to its last", function () {
    this.timeout("60m");
    asStory(this);
    const life = new Life(["m1", "m2", "m3"], ["w1", "w2"]);
    before(() => life.open());
    after(() => life.close());

    isMade(life);
    isChanged(life);
    isGuarded(life);
    isShrunk(life);
    isLostAndHealed(life);
    keepsSecrets(life);
    isEnded(life);
});
