import type { SystemName } from "../../../lab/images";
import { asStory } from "../../support/story";
import { isChanged } from "./changed";
import { isEnded } from "./ended";
import { isGuarded } from "./guarded";
import { Life } from "./life";
import { isLostAndHealed } from "./lost";
import { isMade } from "./made";
import { keepsSecrets } from "./secrets";
import { isShrunk } from "./shrunk";

/** The main story, on machines of one system; the machine's own by default. */
export function lifeOfThree(system?: SystemName): void {
    describe(`a cluster that grows to three control-plane nodes${system ? ` with ${system}` : ""}, from its first run to its last`, function () {
        this.timeout("60m");
        asStory(this);
        const life = new Life(["m1", "m2", "m3"], ["w1", "w2"], system);
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
}
