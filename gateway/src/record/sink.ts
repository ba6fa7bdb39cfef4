import type { Scrubber } from '../lib/scrub.ts';
import type { CallerFacts, GuardrailFacts, RequestRecord, TraceContext } from './record.ts';

/** Takes the records of finished requests: a log, metrics, a counter of limits, a database. */
export interface Sink {
  /** For the log and the metric that count failures of the sink. */
  readonly name: string;
  /** The sink reads usage. Without such a sink no answer is searched for it. */
  readonly readsUsage?: true;
  /** The sink reads what clients run on. */
  readonly readsClient?: true;
  /** Whether the sink needs the usage of a stream also when its client did not ask for it. */
  needsStreamUsage?(question: UsageQuestion): boolean;
  /** Runs after the last byte, between other requests: anything slow belongs into a queue with a bound. */
  record(record: RequestRecord): void;
  /** Takes guardrails that are in no record. */
  watched?(watched: WatchedGuardrails): void;
}

/** Guardrails that ran after the answer: they decide nothing. */
export interface WatchedGuardrails {
  /** Of the request. */
  readonly trace: TraceContext;
  readonly caller: CallerFacts;
  /** Of the request, with credentials. In the texts that sinks get there are none. */
  headers(): Iterable<readonly [name: string, value: string]>;
  /** As that of an attempt. */
  readonly textScrubber?: (() => Scrubber) | undefined;
  readonly guardrails: readonly GuardrailFacts[];
}

/** A stream that is about to be asked for. */
export interface UsageQuestion {
  readonly operation: string;
  readonly caller: CallerFacts;
  readonly provider: string;
  readonly model: string;
}
