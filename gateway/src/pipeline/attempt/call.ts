import { newId } from '../../lib/random.ts';
import type { Call, TargetFields } from '../../providers/contract.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { Exchange } from '../exchange.ts';

export interface CallFacts {
  readonly provider: string;
  readonly params: JsonObject;
  readonly model: string;
  readonly strict: boolean;
  readonly fields: TargetFields;
  readonly stored: boolean;
  now(): number;
}

/** What a provider's hooks see of the request. */
export function createCall({ operation, request }: Exchange, facts: CallFacts): Call {
  return {
    ...facts,
    operation: operation.id,
    stream: operation.json && facts.params['stream'] === true,
    header: (name) => request.header(name),
    path: request.path.slice(3),
    query: request.query,
    route: request.route,
    newId,
  };
}

/** The model a body names; empty when it names none. */
export function modelOf(params: JsonObject): string {
  const { model } = params;
  return typeof model === 'string' ? model : '';
}
