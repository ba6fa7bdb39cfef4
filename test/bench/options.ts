import { parseArgs } from 'node:util';
import { err, ok, type Result } from '@gatehouse/crds';
import { ROW_NAMES, type RowName } from './rows/index.ts';

export interface Options {
  readonly only: readonly RowName[];
  readonly seconds: number;
  readonly rounds: number;
  readonly without: ReadonlySet<string>;
  /** A Git revision whose gateway is measured beside the present one. */
  readonly against?: string;
  readonly write: boolean;
  readonly profile: boolean;
  readonly ladder: boolean;
  readonly cpu: boolean;
}

export const USAGE = `node --conditions=@gatehouse/source test/bench/main.ts [options]

  --only NAME,…     ${ROW_NAMES.join(', ')}; all of them when absent
  --seconds N       length of one measurement, 8 when absent
  --rounds N        measurements of each peer, 5 when absent
  --without NAME,…  leaves out portkey or litellm
  --against REF     also measures the gateway of that Git revision (unary, streams, body)
  --write           puts the table into docs/performance.md
  --cpu             shows what limits, guardrails and the request log add to the CPU time of a request instead: without
                    connections, so that it can be measured beside other work; --seconds does not count
  --profile         shows where the gateway's CPU time goes instead; of limits or guardrails with --only
  --ladder          shows what each step from the bare proxy to the gateway costs instead, and which of them cost
                    more than in docs/performance.md`;

const DEFAULT_SECONDS = 8;
const DEFAULT_ROUNDS = 5;

/** Reads the command line; the error names what is wrong with it. */
export function parseOptions(args: readonly string[]): Result<Options, string> {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
  const only = listOf(values.only);
  const unknown = only.find((name) => !isRowName(name));
  if (unknown !== undefined) return err(`There is no measurement named ${unknown}`);
  const seconds = Number(values.seconds ?? DEFAULT_SECONDS);
  const rounds = Number(values.rounds ?? DEFAULT_ROUNDS);
  if (!isCount(seconds) || !isCount(rounds)) return err('--seconds and --rounds take a whole number from 1 to 3600');
  return ok({
    only: only.length === 0 ? ROW_NAMES : only.filter(isRowName),
    seconds,
    rounds,
    without: new Set(listOf(values.without)),
    ...(values.against === undefined ? {} : { against: values.against }),
    write: values.write ?? false,
    profile: values.profile ?? false,
    ladder: values.ladder ?? false,
    cpu: values.cpu ?? false,
  });
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    options: {
      only: text,
      seconds: text,
      rounds: text,
      without: text,
      against: text,
      write: flag,
      profile: flag,
      ladder: flag,
      cpu: flag,
    },
  }).values;

const listOf = (value: string | undefined): string[] => value?.split(',').filter((name) => name !== '') ?? [];

const isRowName = (name: string): name is RowName => (ROW_NAMES as readonly string[]).includes(name);

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 1 && value <= 3_600;
