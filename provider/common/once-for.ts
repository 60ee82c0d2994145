/** `work`, done once for each object: the answer belongs to the object, and goes with it. */
export function onceFor<Of extends object, Answer>(work: (of: Of) => Answer): (of: Of) => Answer {
    const known = new WeakMap<Of, { answer: Answer }>();
    return of => {
        const { answer } = known.get(of) ?? { answer: work(of) };
        known.set(of, { answer });
        return answer;
    };
}
