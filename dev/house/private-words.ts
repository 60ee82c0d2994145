/** A private word of the glossary, and how it is found. */
export interface PrivateWord {
    /** Names its row in allowed.json. */
    word: string;
    /** The word of the field that replaces it. */
    use: string;
    /** Matches the text as `wordsOf` writes it: lower-case, camel case as words of their own. */
    pattern: RegExp;
    /** Only in identifiers: in prose the word is plain English. @default also in comments and strings */
    namesOnly?: true;
}

/** Names that Kubernetes, OpenStack, Tacker and others gave to things of theirs. They are not counted. */
export const namesOfOthers =
    /\bmasterNode\w*|\bmaster_(?:instance|cp)\w*|(?:blob|tree|raw|\.io)\/master\b|--(?:master|silent)\b/g;

/**
 * The left column of the glossary. Rows without a word that can be counted are missing: "Member", "Machine" and "Node" for one thing, `done`, "open"
 * and "closed", `identity`, "leave", "site", "Needs", `e` and "Vim" also are words of Kubernetes, of OpenStack or of this product.
 */
export const privateWords: readonly PrivateWord[] = [
    { word: "master", use: "control-plane node", pattern: /\bmasters?\d*\b/g },
    { word: "word", use: "request, request id", pattern: /\bwords?\b/g },
    { word: "wish", use: "request, run number", pattern: /\bwish(?:es)?\b/g },
    { word: "given", use: "request, or say what it is", pattern: /\bgiven\b/g, namesOnly: true },
    { word: "asked", use: "request, or say what it is", pattern: /\basked\b/g, namesOnly: true },
    { word: "held", use: "waits, pinned, managed by another stack, unchanged in state", pattern: /\bheld\b/g },
    { word: "holds", use: "as for held", pattern: /\bholds\b/g, namesOnly: true },
    { word: "former", use: "previous (value), departed (node), superseded (key)", pattern: /\bformers?\b/g },
    { word: "bears", use: "tolerates, carries", pattern: /\b(?:bears?|borne)\b/g },
    { word: "given up", use: "abandoned", pattern: /\bgiven up\b/g },
    { word: "made of", use: "sourceOf", pattern: /\bmade of\b/g, namesOnly: true },
    { word: "look or keep", use: "readOrKeepState", pattern: /\blook or keep\b/g },
    { word: "left out", use: "excluded by --target", pattern: /\bleft out\b/g, namesOnly: true },
    { word: "lives", use: "is ready, is reachable", pattern: /\blives\b/g },
    { word: "living", use: "ready", pattern: /\bliving\b/g },
    { word: "answers", use: "reachable", pattern: /\banswers\b/g, namesOnly: true },
    { word: "silent", use: "unreachable, not ready", pattern: /\bsilent\b/g },
    { word: "the engine", use: "Pulumi's engine; the procedure engine", pattern: /\bthe engine\b/g },
    { word: "leaver", use: "Node, Host or Server that is removed", pattern: /\bleavers?\b/g },
    { word: "ground", use: "provisioned infrastructure", pattern: /\bgrounds?\b/g },
    {
        word: "settle",
        use: "retry, wait, strip, delete, resolve; resolvedArgs",
        pattern: /\bsettle\w*/g,
        namesOnly: true,
    },
    { word: "shape", use: "clusterPlan", pattern: /\bshapes?\b/g, namesOnly: true },
    { word: "stand-in", use: "preview placeholder", pattern: /\bstand[ -]ins?\b/g },
    { word: "stands in", use: "replaces", pattern: /\bstands? in for\b/g },
    { word: "twice", use: "preview placeholders", pattern: /\btwice\b/g, namesOnly: true },
    { word: "known or", use: "orPlaceholder", pattern: /\bknown or\b/g, namesOnly: true },
    { word: "sample", use: "placeholder", pattern: /\b(?<!tacker )samples?\b/g, namesOnly: true },
    { word: "hole", use: "deferred value", pattern: /\bholes?\b/g, namesOnly: true },
    { word: "draft", use: "template", pattern: /\bdrafts?\b/g, namesOnly: true },
    { word: "filled", use: "resolved", pattern: /\bfilled\b/g, namesOnly: true },
    { word: "later", use: "deferred", pattern: /\blater\b/g, namesOnly: true },
    { word: "steps shown", use: "plannedSteps", pattern: /\bsteps shown\b/g },
    { word: "take out", use: "removeNode", pattern: /\b(?:takes?|taken|took) out\b/g },
    { word: "goodbye", use: "decommission", pattern: /\bgoodbyes?\b/g },
    { word: "while masters get ready", use: "retryUntilControlPlaneReady", pattern: /\bwhile masters\b/g },
    { word: "patience", use: "timeout", pattern: /\bpatience\b/g },
    { word: "knock", use: "tryLogin", pattern: /\bknocks?\b/g },
    { word: "half", use: "provisioningErrors", pattern: /\b(?:half|halves)\b/g, namesOnly: true },
    { word: "sight", use: "status", pattern: /\bsights?\b/g },
    {
        word: "facts",
        use: "nodeState, outputStatus, cloudInventory (RunFacts stays)",
        pattern: /\b(?<!run )facts\b/g,
        namesOnly: true,
    },
    { word: "own affair", use: "canSkipWithoutIO", pattern: /\bown affair\b/g },
    { word: "check live", use: "preflight", pattern: /\bcheck live\b/g },
    { word: "bring", use: "reconcile", pattern: /\bbrings?\b/g, namesOnly: true },
    { word: "trouble", use: "stackFailure", pattern: /\btroubles?\b/g },
    { word: "remedy", use: "recoveryAction", pattern: /\bremed(?:y|ies)\b/g },
    { word: "hurry", use: "restartKubeletWhenReady", pattern: /\bhurr(?:y|ied)\b/g },
    { word: "nobody like us", use: "etcdMemberAbsent", pattern: /\bnobody like us\b/g },
    { word: "desk", use: "fixture", pattern: /\bdesks?\b/g },
    { word: "gives", use: "expected", pattern: /\bgives\b/g, namesOnly: true },
    { word: "leftovers", use: "orphaned resources", pattern: /\bleftovers?\b/g },
    { word: "made anew", use: "recreated", pattern: /\b(?:make|makes|made|making) anew\b/g },
    { word: "is told", use: "receives", pattern: /\b(?:is|are) told\b/g },
    { word: "beside", use: "open (acts remain)", pattern: /\bbeside\b/g, namesOnly: true },
    { word: "put back", use: "taken back; deferred", pattern: /\bput back\b/g, namesOnly: true },
];
