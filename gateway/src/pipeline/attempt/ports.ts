import type { ResponseCache } from '../../cache/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import type { Provider, ProviderServices } from '../../providers/contract.ts';
import type { Capture, UsageQuestion } from '../../record/index.ts';
import type { RowMarks } from '../../store/index.ts';
import type { HostPolicy } from '../../upstream/host-guard/index.ts';
import type { HostScope, UpgradingClient } from '../../upstream/index.ts';
import type { Adapters } from '../adapters/index.ts';
import type { CallBudget } from '../call-budget.ts';
import type { Caller, Exchange, FollowedBatches } from '../exchange.ts';
import type { GuardrailLog, GuardrailPorts } from '../guardrails/index.ts';
import type { LimitLog, LimitPorts } from '../limits/index.ts';
import type { OwnResources } from '../operations/index.ts';
import type { Resolution } from '../resolve/index.ts';
import type { AnswerCheck } from './evaluate/index.ts';
import type { InputCheck } from './guard.ts';
import type { AttemptOutcome } from './record/index.ts';
import type { SemanticCache } from './semantic.ts';
import type { SendPort } from './send/index.ts';

export interface AttemptPorts extends SendPort, LimitPorts {
  /** For operations whose calls leave HTTP. */
  readonly upgrades: UpgradingClient;
  /** Longest wait for a connection, and for the answer to a request to leave HTTP, in ms. */
  readonly connectTimeoutMs: number;
  readonly adapters: Adapters;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly hosts: HostPolicy;
  /** Services for an account's side calls, which may reach the same hosts as its own calls. */
  servicesFor(origin: HostScope, memory: ByteAccount): ProviderServices;
  readonly cache: ResponseCache;
  readonly semantic: SemanticCache;
  readonly guardrails: GuardrailPorts;
  readonly ownResources: Pick<OwnResources, 'content'>;
  readonly rowMarks: RowMarks;
  readonly followed: FollowedBatches;
  /** Checks of the request, in order. */
  readonly inputChecks: readonly InputCheck[];
  /** Checks of a good answer, in order. */
  readonly answerChecks: readonly AnswerCheck[];
  /** Whether the record of a stream needs its usage also when the client did not ask for it. */
  needsStreamUsage(question: UsageQuestion): boolean;
  /** Sent in `Via` to custom hosts, so that a request that comes back is recognised. */
  readonly gatewayName: string;
}

export interface AttemptInput {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly resolution: Resolution;
  /** Calls that the request may still cause, over all targets. */
  readonly calls: CallBudget;
  /** The outcomes of the targets that were tried so far. */
  readonly tried: AttemptOutcome[];
  readonly log: LimitLog & GuardrailLog;
  /** Headers and bodies for the request log; undefined: none are kept. */
  readonly captured?: Capture | undefined;
}
