/** The service that makes a backup: `command` with its arguments. */
export function serviceOf(description: string, command: string): string {
    return `# written by pulumi-nfv
[Unit]
Description=${description}
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
ExecStart=${command}
Nice=10
IOSchedulingClass=idle
`;
}

/** Its timer. A run that was missed, because the machine was off, is made up for. */
export function timerOf(description: string, schedule: string): string {
    return `# written by pulumi-nfv
[Unit]
Description=${description}

[Timer]
OnCalendar=${schedule}
Persistent=true

[Install]
WantedBy=timers.target
`;
}
