/** For hints: how an earlier state is brought back. A file or bucket as backend has no `export --version`. */
export const howToRestoreState =
    "pulumi stack history, pulumi stack export --version N, pulumi stack import; with a file or bucket as backend, copy the fitting " +
    "….checkpoint.json of .pulumi/history/PROJECT/STACK over .pulumi/stacks/PROJECT/STACK.json";
