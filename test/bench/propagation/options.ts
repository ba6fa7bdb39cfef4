import { parseArgs } from 'node:util';
import { err, ok, type Result } from '@gatehouse/crds';

export interface Options {
  /** Objects of all Kinds there are while edits are measured. */
  readonly objects: number;
  readonly gateways: number;
  /** 0: this is not measured. */
  readonly edits: number;
  /** ApiKeys that are brought in at once; 0: this is not measured. */
  readonly keys: number;
  readonly write: boolean;
  /** Where CPU profiles of the operator and a gateway are written. */
  readonly profile: string | undefined;
}

export const USAGE = `node --conditions=@gatehouse/source test/bench/propagation/main.ts [options]

  --objects N       objects while edits are measured, 10000 when absent
  --gateways N      gateway processes, 20 when absent
  --edits N         edits of one GatewayConfig, and of one Guardrail, 200 when absent; 0 leaves them out
  --keys N          ApiKeys brought in at once, 100000 when absent; 0 leaves them out
  --write           puts the tables into docs/performance.md
  --profile FOLDER  writes CPU profiles of the operator and of one gateway there`;

/** Smallest, largest and default of each number; a Deployment of more gateways needs more addresses than we give. */
const NUMBERS = {
  objects: { min: 100, max: 50_000, fallback: 10_000 },
  gateways: { min: 1, max: 100, fallback: 20 },
  edits: { min: 0, max: 10_000, fallback: 200 },
  keys: { min: 0, max: 200_000, fallback: 100_000 },
} as const;

/** Reads the command line; the error names what is wrong with it. */
export function parseOptions(args: readonly string[]): Result<Options, string> {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
  for (const [name, { min, max }] of Object.entries(NUMBERS)) {
    const value = values[name as keyof typeof NUMBERS]; // a name of the table
    if (value === undefined || (/^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max)) continue;
    return err(`--${name} takes a whole number from ${min} to ${max}`);
  }
  const count = (name: keyof typeof NUMBERS): number => Number(values[name] ?? NUMBERS[name].fallback);
  return ok({
    objects: count('objects'),
    gateways: count('gateways'),
    edits: count('edits'),
    keys: count('keys'),
    write: values.write ?? false,
    profile: values.profile,
  });
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: { objects: text, gateways: text, edits: text, keys: text, profile: text, write: flag },
  }).values;
