/** The way of a request (RFC 9110 section 7.6.3). Gateways name themselves in it by pseudonyms, so that loops are seen. */
export const VIA_HEADER = 'via';

const PREFIX = 'gatehouse-';
const MEMBER = /(?:^|,)\s*(?:[!#$%&'*+.^`|~\w/-]+)\s+(gatehouse-[\w.-]+)/g;

/** What a gateway with that id calls itself. */
export const gatewayPseudonym = (id: string): string => PREFIX + id.replace(/[^\w.-]/g, '-');

/** The gateways a request has come through, the last one last; undefined headers have none. */
export function gatewaysOf(via: string | readonly string[] | undefined): readonly string[] {
  if (via === undefined) return [];
  const text = typeof via === 'string' ? via : via.join();
  return [...text.matchAll(MEMBER)].map(([, name = '']) => name);
}

/** A header that names gateways. */
export const toVia = (gateways: readonly string[]): string => gateways.map((name) => `1.1 ${name}`).join(', ');
