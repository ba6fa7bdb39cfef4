/**
 * What serves clients of another API by an operation of the gateway: the request is translated before anything looks at it, and
 * the answer after everything has. Guardrails, limits, cache, cost and targets see the operation alone; docs/behaviour/doors.md.
 */
import type { OwnApiEndpointId } from '../../providers/contract.ts';
import type { JsonObject } from '../../wire/contract.ts';

export interface Door {
  /** Called instead of the endpoint of the operation where a provider has it. */
  readonly ownEndpoint?: OwnApiEndpointId;
  /** Members of its parameters that only some providers have: they are left out where an endpoint does not name them. */
  readonly vendorParams?: readonly string[];
  /** Whether answers to a request may come from the response cache, and go there; absent: they may. */
  isCacheable?(params: JsonObject): boolean;
  /** Parameters of which `override_params` replaces the members one by one. */
  readonly mergedParams?: readonly string[];
  /**
   * What endpoints of other vendors get: the parameters without what only the door's own vendor reads inside of them; the same
   * object where there is none. Endpoints of the own vendor are told by `ownParam`, which they alone name. `leftOut`: what of it is named
   * to the client.
   */
  readonly forOthers?: {
    readonly ownParam: string;
    params(params: JsonObject): JsonObject;
    leftOut?(params: JsonObject): readonly string[];
  };
  /**
   * Throws for what an endpoint cannot answer, or would answer in another way than clients of the door can get it.
   */
  refuseAt?(params: JsonObject, endpoint: AskedEndpoint): void;
  /** The parameters of the operation. Throws AppError that names what it cannot say. */
  enter(given: JsonObject, context: DoorContext): Entered;
}

export interface AskedEndpoint {
  /** Whether it names a parameter. */
  names(param: string): boolean;
  /** Whether it gets parameters as they are, in the words of OpenAI. */
  readonly isPlain: boolean;
}

export interface DoorContext {
  /** Of the client, without `?`. */
  readonly query: string;
  /** Unix time in ms. */
  now(): number;
  /** Since the request began, in ms. */
  elapsedMs(): number;
}

/** One call. */
export interface Entered {
  readonly params: JsonObject;
  /** Parameters of the client that the operation cannot say. */
  readonly dropped: readonly string[];
  /** A good answer of the operation. */
  toClient(answer: JsonObject): object;
  /** Absent: the operation has no streams. */
  readonly stream?: { readonly contentType: string; open(): DoorStream };
}

/** Chunks of a chat as the text of the client's stream. One per stream. */
export interface DoorStream {
  push(chunk: JsonObject): string;
  /** The stream of the provider ended properly. */
  end(): string;
  /** It broke: nothing follows. */
  fail(message: string): string;
}
