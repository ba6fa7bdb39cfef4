import { isHopByHop } from '../../../lib/header-names.ts';
import { newId } from '../../../lib/random.ts';
import type { Call, TargetFields } from '../../../providers/contract.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import type { Exchange } from '../../exchange.ts';
import { holdsGatewayKey, type KeyLookup } from '../../gateway-key.ts';

export interface CallFacts {
  readonly endpoint: Call['endpoint'];
  readonly provider: string;
  readonly params: JsonObject;
  readonly model: string;
  readonly strict: boolean;
  readonly hidesUsage: boolean;
  readonly fields: TargetFields;
  readonly stored: boolean;
  readonly ownIdentity: boolean;
  /** Headers that hold a gateway key. */
  readonly keyHeaders: ReadonlySet<string>;
  /** Collects the headers that hooks read, because the request depends on them. */
  readonly headersRead: Map<string, string>;
  now(): number;
}

/** The call as a provider's hooks see it. */
export function createCall({ operation, request, snapshot }: Exchange, facts: CallFacts): Call {
  const { keyHeaders, headersRead, ...rest } = facts;
  return {
    ...rest,
    operation: operation.id,
    stream: operation.handler.readsStream && facts.params['stream'] === true,
    header: (name) => {
      const value = keyHeaders.has(name) ? undefined : request.header(name);
      if (value !== undefined && !isHopByHop(name)) headersRead.set(name, value);
      return value;
    },
    path: request.path.slice(3),
    query: withoutKeys(request.query, snapshot),
    route: request.route,
    newId,
  };
}

/** The query without parameters that hold a gateway key. */
function withoutKeys(query: string, snapshot: KeyLookup): string {
  if (query === '') return query;
  const holds = (pair: string): boolean =>
    [...new URLSearchParams(pair)].flat().some((text) => holdsGatewayKey(text, snapshot));
  const pairs = query.split('&');
  return pairs.some(holds) ? pairs.filter((pair) => !holds(pair)).join('&') : query;
}

/** The `model` of a body; empty without one. */
export function modelOf(params: JsonObject): string {
  const { model } = params;
  return typeof model === 'string' ? model : '';
}
