import { isHopByHop } from '../../../lib/header-names.ts';
import { newId } from '../../../lib/random.ts';
import type { Call, TargetFields } from '../../../providers/contract.ts';
import type { PreparedTarget } from '../../../providers/engine/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import type { ClientRequest, Exchange } from '../../exchange.ts';
import { holdsGatewayKey, type KeyLookup } from '../../gateway-key.ts';
import { callOf, type Operation } from '../../operations/index.ts';

/** What a call is made of, beside the request. */
export interface CallFacts {
  readonly target: PreparedTarget;
  readonly model: string;
  /** Headers that hold a gateway key. */
  readonly keyHeaders: ReadonlySet<string>;
  /** Collects the headers that hooks read, where it matters that the request depends on them. */
  readonly headersRead: Map<string, string> | undefined;
  now(): number;
}

/** What differs between the calls of a target. */
export interface CallKind {
  readonly endpoint: Call['endpoint'];
  readonly params: JsonObject;
  readonly strict: boolean;
  readonly hidesUsage: boolean;
  readonly placeOf?: Call['placeOf'] | undefined;
}

/** The call as a provider's hooks see it. */
export class ClientCall implements Call {
  readonly #facts: CallFacts;
  readonly #request: ClientRequest;
  readonly #operation: Operation;
  readonly endpoint: Call['endpoint'];
  readonly provider: string;
  readonly params: JsonObject;
  readonly model: string;
  readonly stream: boolean;
  readonly strict: boolean;
  readonly hidesUsage: boolean;
  readonly placeOf?: NonNullable<Call['placeOf']>;
  readonly fields: TargetFields;
  readonly stored: boolean;
  readonly ownIdentity: boolean;
  readonly query: string;
  readonly newId = newId;

  constructor({ operation, request, snapshot }: Exchange, facts: CallFacts, kind: CallKind) {
    const { target, model } = facts;
    this.#facts = facts;
    this.#request = request;
    this.#operation = operation;
    this.endpoint = kind.endpoint;
    this.provider = target.provider.id;
    this.params = kind.params;
    this.model = model;
    this.stream = operation.handler.readsStream && kind.params['stream'] === true;
    this.strict = kind.strict;
    this.hidesUsage = kind.hidesUsage;
    if (kind.placeOf !== undefined) this.placeOf = kind.placeOf;
    this.fields = target.fields;
    this.stored = target.stored;
    this.ownIdentity = target.ownIdentity;
    this.query = withoutKeys(request.query, snapshot);
  }

  get operation(): string {
    return callOf(this.#operation);
  }

  get path(): string {
    return this.#request.path.slice('/v1'.length);
  }

  get route(): Readonly<Record<string, string>> {
    return this.#request.route;
  }

  header(name: string): string | undefined {
    const { keyHeaders, headersRead } = this.#facts;
    const value = keyHeaders.has(name) ? undefined : this.#request.header(name);
    if (value !== undefined && !isHopByHop(name)) headersRead?.set(name, value);
    return value;
  }

  now(): number {
    return this.#facts.now();
  }
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
