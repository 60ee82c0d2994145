/** "1 min 05 s". Pure. */
export function duration(seconds: number): string {
    const whole = Math.round(seconds);
    if (whole < 60) return `${whole} s`;
    const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
    const pad = (n: number) => String(n).padStart(2, "0");
    return hours > 0 ? `${hours} h ${pad(minutes)} min` : `${minutes} min ${pad(whole % 60)} s`;
}

/** "0:05", "1:02:03": seconds since the run's begin. Pure. */
export function clock(seconds: number): string {
    const whole = Math.round(seconds);
    const pad = (n: number) => String(n).padStart(2, "0");
    const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
    return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`;
}
