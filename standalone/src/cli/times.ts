/** Times of options: an instant, or how long ago. */
import { UsageError } from './shell.ts';

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A hundred years. */
const MAX_MS = 36_500 * 86_400_000;

/** Unix time in ms. Throws UsageError. */
export function timeOf(name: string, text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ago = Number(count) * (UNIT_MS[unit] ?? 0);
  const ms = unit === '' ? Date.parse(text) : nowMs - ago;
  if (!Number.isNaN(ms) && ago <= MAX_MS) return ms;
  throw new UsageError(`--${name} takes a time like 2026-01-31T12:00:00Z, or 30m, 2h, 7d, not ${text}`);
}
