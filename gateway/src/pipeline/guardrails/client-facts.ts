/** The headers of a client as checks see them. */
import { isKeyOnlyHeader } from '../../lib/header-names.ts';
import type { Caller, Exchange } from '../exchange.ts';
import { holdsGatewayKey } from '../gateway-key.ts';

const OWN_PREFIX = 'x-gw-';
/** Other headers of the gateway may hold credentials, as configs do. */
const OWN_SHOWN: ReadonlySet<string> = new Set([
  'x-gw-trace-id',
  'x-gw-span-id',
  'x-gw-request-timeout',
  'x-gw-metadata',
]);

/** Without gateway keys and without the gateway's own headers that may hold credentials. */
export class ClientFacts {
  readonly #exchange: Pick<Exchange, 'request' | 'snapshot'>;
  readonly #caller: Caller;

  constructor(exchange: Pick<Exchange, 'request' | 'snapshot'>, caller: Caller) {
    this.#exchange = exchange;
    this.#caller = caller;
  }

  header(name: string): string | undefined {
    const value = this.#exchange.request.header(name);
    return value !== undefined && this.#isShown(name, value) ? value : undefined;
  }

  *headers(): Generator<readonly [name: string, value: string]> {
    for (const header of this.#exchange.request.headers()) {
      if (this.#isShown(...header)) yield header;
    }
  }

  #isShown(name: string, value: string): boolean {
    if (this.#caller.keyHeaders.has(name) || isKeyOnlyHeader(name)) return false;
    if (name.startsWith(OWN_PREFIX) && !OWN_SHOWN.has(name)) return false;
    return !holdsGatewayKey(value, this.#exchange.snapshot);
  }
}
