/** What a request waited for beside providers and guardrails, with its times: only for traces that are exported. */
import { type AppError, toAppError } from '../errors/index.ts';
import { toUnixMs } from '../lib/clock.ts';
import type { CacheStatus } from './record.ts';

/** A look into the cache, or what was asked and taken of limits and budgets. */
export interface StepFacts {
  readonly kind: 'cache' | 'limits';
  /** Path of the target, e.g. `config.targets[1]`; undefined: before targets were tried. */
  readonly target: string | undefined;
  /** Unix time in ms. */
  readonly startedAtMs: number;
  readonly durationMs: number;
  /** What the cache said. */
  readonly cache?: CacheStatus | undefined;
  /** Id of the limit or policy that had no room. */
  readonly refusedBy?: string | undefined;
  /** Because of which the request, or the target, was refused. */
  readonly error: AppError | undefined;
}

type Said = Pick<StepFacts, 'cache' | 'refusedBy'>;

/** Of one request: each target has two at most. */
const MAX_STEPS = 64;

export class StepLog {
  readonly facts: StepFacts[] = [];

  /** Does the work and remembers its times; `said` gets the result, undefined where the work has thrown. */
  time<T>(
    step: Pick<StepFacts, 'kind' | 'target'>,
    work: () => T | Promise<T>,
    said: (result: T | undefined) => Said,
  ): T | Promise<T> {
    const startedMs = performance.now();
    const done = (result: T): T => {
      this.#add(step, startedMs, { ...said(result), error: undefined });
      return result;
    };
    const failed = (error: unknown): never => {
      this.#add(step, startedMs, { ...said(undefined), error: toAppError(error) });
      throw error;
    };
    try {
      const result = work();
      return result instanceof Promise ? result.then(done, failed) : done(result);
    } catch (error) {
      return failed(error);
    }
  }

  #add(step: Pick<StepFacts, 'kind' | 'target'>, startedMs: number, rest: Said & Pick<StepFacts, 'error'>): void {
    if (this.facts.length >= MAX_STEPS) return;
    const durationMs = performance.now() - startedMs;
    this.facts.push({ ...step, startedAtMs: toUnixMs(startedMs), durationMs, ...rest });
  }
}
