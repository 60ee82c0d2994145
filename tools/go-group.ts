/** Programs that are built from one Go module. */
export interface GoGroup {
    name: string;
    /** "go" line of the module; Kubernetes takes upstream's. */
    goVersion?: string;
    /** The oldest Go that builds it, where `like` gives the go line: known before anything is fetched. Decides nothing of the program. */
    oldestGo?: string;
    requires: string[];
    replaces?: string[];
    /** Take the go line and the replaces of staging modules from this module's go.mod. */
    like?: { module: string; stagingVersion: string };
    programs: Record<string, { package: string; usualSeconds: number }>;
    /** Folders of a module ("PATH@VERSION") that are needed beside the programs: name → path in it. */
    files?: { module: string; folders: Record<string, string> };
    /** Folder below tools/go: Go sources of ours, which become the module's own packages. */
    sources?: string;
    /** Files of a module ("PATH@VERSION") that our sources embed: name → path in it. */
    embedded?: { module: string; files: Record<string, string> };
    /** A file that our sources embed, and the package among them whose program prints it. */
    generated?: { file: string; package: string; usualSeconds: number };
    /** Build tags. */
    tags?: string[];
    /** Debian packages of a C library that is linked into the programs, and the name of the library. They need nothing of the machine then. */
    linked?: { packages: string[]; library: string };
    /** Values for -X. */
    stamps: string[];
    /** What the code is, where the version alone would say something else. */
    code?: string;
}
