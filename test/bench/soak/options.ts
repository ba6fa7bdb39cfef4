import { parseArgs } from 'node:util';
import { err, ok, type Result } from '@gatehouse/crds';

export interface Options {
  readonly minutes: number;
  readonly changes: number;
  readonly rollouts: number;
}

export const USAGE = `node --conditions=@gatehouse/source test/bench/soak/main.ts [options]

  --minutes N   how long, 60 when absent
  --changes N   changes of the Snapshot meanwhile, 50 when absent
  --rollouts N  times all gateways are replaced, in the first half, 3 when absent`;

/** Reads the command line; the error names what is wrong with it. */
export function parseOptions(args: readonly string[]): Result<Options, string> {
  const text = { type: 'string' } as const;
  try {
    const options = { minutes: text, changes: text, rollouts: text };
    const { minutes = '60', changes = '50', rollouts = '3' } = parseArgs({ args: [...args], options }).values;
    const value = { minutes: Number(minutes), changes: Number(changes), rollouts: Number(rollouts) };
    if (!isWhole(value.minutes, 1)) return err('--minutes takes a whole number from 1 to 1000');
    if (!isWhole(value.changes, 0) || !isWhole(value.rollouts, 0))
      return err('--changes and --rollouts take a whole number from 0 to 1000');
    return ok(value);
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
}

const isWhole = (value: number, least: number): boolean => Number.isInteger(value) && value >= least && value <= 1_000;
