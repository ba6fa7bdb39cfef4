/**
 * What serves an operation by an endpoint of another format. A provider that offers the operation's own endpoint needs none:
 * bytes pass as they are.
 */
import type { EndpointId, StreamItem, WireContext } from '../../providers/contract.ts';
import type { JsonObject } from '../../wire/contract.ts';

export interface Adapter {
  /** Id of the client's operation. */
  readonly operation: string;
  /** What the provider is called for instead. */
  readonly endpoint: EndpointId;
  /**
   * Begins one call. `params`: in the format of the operation, as they go to the target. Throws AppError for what the endpoint's
   * format cannot say.
   */
  adapt(params: JsonObject, context: AdapterContext): Adaptation;
}

export interface AdapterContext extends Pick<WireContext, 'provider' | 'model' | 'now' | 'newId'> {
  /** Whether the body of the endpoint says a parameter; undefined: it passes, and the provider judges it. */
  has(param: string): boolean | undefined;
}

/** One adapted call. */
export interface Adaptation {
  /** In the format of the endpoint. */
  readonly params: JsonObject;
  /** Parameters of the client that the format of the endpoint cannot say. */
  readonly dropped?: readonly string[];
  /** What the client calls a parameter of the endpoint; absent: the same. */
  nameOf?(param: string): string;
  /** Where a part of the messages in `params` is in the client's body; undefined: it has no place there. */
  placeOf?(part: object): string | undefined;
  /** A good answer of the endpoint, in the format of the operation. */
  toClient(answer: JsonObject): object;
  openStream(): StreamAdapter;
}

/** Turns what a stream of the endpoint says into what one of the operation says. One per stream. */
export interface StreamAdapter {
  push(item: StreamItem): readonly StreamItem[];
  /** The provider's stream ended properly. */
  end(): readonly StreamItem[];
  /** The answer as far as it was made, for the event of a stream that fails. Called once, and nothing after it. */
  partial?(): JsonObject | undefined;
}
