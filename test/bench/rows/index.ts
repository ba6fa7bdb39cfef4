import type { Bench } from '../bench.ts';
import type { Row } from '../table.ts';
import { adaptedStreams } from './adapted-streams.ts';
import { attacks } from './attacks.ts';
import { body } from './body.ts';
import { guardedStreams } from './guarded-streams.ts';
import { guardrails } from './guardrails.ts';
import { idle } from './idle.ts';
import { keys } from './keys.ts';
import { latency } from './latency.ts';
import { limits } from './limits.ts';
import { management } from './management.ts';
import { records } from './records.ts';
import { semantic } from './semantic.ts';
import { sockets } from './sockets.ts';
import { streams } from './streams.ts';
import { tokens } from './tokens.ts';
import { transfers } from './transfers.ts';
import { unary } from './unary.ts';

/** The measurements, in the order of docs/performance.md. */
const MEASUREMENTS = {
  unary,
  latency,
  streams,
  body,
  transfers,
  idle,
  sockets,
  keys,
  limits,
  guardrails,
  'guarded-streams': guardedStreams,
  'adapted-streams': adaptedStreams,
  tokens,
  semantic,
  records,
  attacks,
  management,
} as const satisfies Record<string, (bench: Bench) => Promise<readonly Row[]>>;

export type RowName = keyof typeof MEASUREMENTS;

export const ROW_NAMES = Object.keys(MEASUREMENTS) as readonly RowName[]; // keys of the constant above

/** Runs one measurement. */
export function measureRows(bench: Bench, name: RowName): Promise<readonly Row[]> {
  return MEASUREMENTS[name](bench);
}
