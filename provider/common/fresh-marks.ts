/** Marks of owners that this run has made at random: until they are stored, each preview makes others. */
export class FreshMarks extends Set<string> {}
