/** The headers of an answer that name who answered, as far as it is known. */
import type { HeaderMap } from './exchange.ts';
import type { RequestProvider } from './resolve/index.ts';

/** Models that a header can carry: visible ASCII of bounded length. The name comes from the client. */
const MODEL = /^[\x21-\x7e]{1,256}$/;

/** `model` may be empty. */
export function nameAnswerer(headers: HeaderMap, provider: string | undefined, model: string): void {
  if (provider !== undefined) headers['x-gw-provider'] = provider;
  if (MODEL.test(model)) headers['x-gw-model'] = model;
}

/** The id of the provider that a request names itself. */
export const providerIdOf = (named: RequestProvider | undefined): string | undefined =>
  named?.kind === 'managed' ? named.record.provider.id : named?.provider.id;
