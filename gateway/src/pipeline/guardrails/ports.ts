import type { ModelQuestion, ModelReply } from '../../guardrails/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import type { CancelSignal } from '../../lib/cancellation.ts';
import type { JsonLimits } from '../../lib/json/index.ts';
import type { ProviderServices } from '../../providers/contract.ts';
import type { HostScope } from '../../upstream/index.ts';
import type { AttemptInput } from '../attempt/index.ts';
import type { GuardrailWatch } from './watch.ts';

/** Asks a model for a check of the request `input`. Throws CheckFault or AppError. */
export type AskModel = (
  input: AttemptInput,
  question: ModelQuestion,
  options: { readonly signal: CancelSignal },
) => Promise<ModelReply>;

/** What guardrails need of the process. */
export interface GuardrailPorts {
  /** Calls of checks and what they keep, apart from those of providers. */
  servicesFor(scope: HostScope, memory: ByteAccount): ProviderServices;
  /** Holds what the checks of a phase read; closed after it. */
  openMemory(): ByteAccount;
  /** Resolves when long work may run for another slice of time. */
  regexTurn(): Promise<void>;
  /** Limits of an answer that is parsed. */
  readonly json: JsonLimits;
  /** Longest stream that is held, in bytes. */
  readonly maxHeldBytes: number;
  readonly watch: GuardrailWatch;
  /** Absent: no model can be asked. */
  readonly ask?: AskModel;
  /** Unix time in ms. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
}
