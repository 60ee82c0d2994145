import { lifeOfThree } from "./life/of-three";

// The other one: life-of-one.test.ts.
lifeOfThree();
