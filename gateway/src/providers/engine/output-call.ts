/** The call that a provider's batch output is read for. */
import { createHash } from 'node:crypto';
import { lettersOf } from '../../lib/random.ts';
import type { Call } from '../contract.ts';
import { rowCall } from './row-call.ts';

export interface BatchFacts {
  /** Its id at the provider. */
  readonly batch: string;
  /** As RFC 3339 has it; undefined: the provider does not say it. */
  readonly endedAt: string | undefined;
}

/**
 * Answers in an output are the same at each reading: their time is the end of the batch, and ids that the provider
 * does not give follow from the batch and from how many came before.
 */
export function outputCall(call: Call, { batch, endedAt }: BatchFacts): Call {
  const ended = Date.parse(endedAt ?? '');
  let ids = 0;
  return {
    ...rowCall(call, { endpoint: 'chatComplete', params: {}, model: call.model }),
    now: () => (Number.isNaN(ended) ? call.now() : ended),
    newId(prefix, length) {
      ids += 1;
      const bytes = createHash('shake256', { outputLength: length }).update(`${ids} ${batch}`).digest();
      return prefix + lettersOf(bytes);
    },
  };
}
