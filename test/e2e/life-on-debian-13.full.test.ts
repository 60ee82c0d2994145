import { lifeOfThree } from "./life/of-three";

lifeOfThree("debian-13");
