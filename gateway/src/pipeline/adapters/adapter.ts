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

export type AdapterContext = Pick<WireContext, 'provider' | 'model' | 'now' | 'newId'>;

/** One adapted call. */
export interface Adaptation {
  /** In the format of the endpoint. */
  readonly params: JsonObject;
  /** A good answer of the endpoint, in the format of the operation. */
  toClient(answer: JsonObject): object;
  openStream(): StreamAdapter;
}

/** Turns what a stream of the endpoint says into what one of the operation says. One per stream. */
export interface StreamAdapter {
  push(item: StreamItem): readonly StreamItem[];
  /** The provider's stream ended properly. */
  end(): readonly StreamItem[];
}
