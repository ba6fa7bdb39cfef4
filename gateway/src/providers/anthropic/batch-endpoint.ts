/** Which operation rows of message batches ask for, and are answered as. */
import { AppError } from '../../errors/index.ts';
import { BATCH_ENDPOINT, BATCH_ENDPOINTS, type BatchEndpoint } from '../../wire/anthropic/index.ts';
import type { Call } from '../contract.ts';

const PARAM = 'endpoint';
/** Of a text that a client sends, in characters. */
const MAX_SHOWN = 64;

/** Throws OPERATION_UNSUPPORTED. */
export function batchEndpoint(given: unknown, { provider }: Pick<Call, 'provider'>): BatchEndpoint {
  if (given === undefined || given === null) return BATCH_ENDPOINT;
  const known = BATCH_ENDPOINTS.find((endpoint) => endpoint === given);
  if (known !== undefined) return known;
  const shown = typeof given === 'string' ? given.slice(0, MAX_SHOWN) : 'this endpoint';
  throw new AppError('OPERATION_UNSUPPORTED', {
    ...{ param: PARAM, provider },
    detail: `Batches of ${shown} are not supported by ${provider}: endpoint must be ${BATCH_ENDPOINTS.join(' or ')}`,
  });
}

/** The vendor does not know what a batch was created for: the call says it, `?endpoint=/v1/messages`. Throws OPERATION_UNSUPPORTED. */
export const outputEndpoint = (call: Pick<Call, 'provider' | 'query'>): BatchEndpoint =>
  batchEndpoint(new URLSearchParams(call.query).get(PARAM), call);
