/** The Via header (RFC 9110 section 7.6.3). Each gateway adds its pseudonym, so that loops are detected. */
export const VIA_HEADER = 'via';

const PREFIX = 'gatehouse-';
const MEMBER = /(?:^|,)\s*(?:[!#$%&'*+.^`|~\w/-]+)\s+(gatehouse-[\w.-]+)/g;

/** The pseudonym of the gateway with that id. */
export const gatewayPseudonym = (id: string): string => PREFIX + id.replace(/[^\w.-]/g, '-');

/** The gateways that a request has passed through, in order; none without the header. */
export function gatewaysOf(via: string | readonly string[] | undefined): readonly string[] {
  if (via === undefined) return [];
  const text = typeof via === 'string' ? via : via.join();
  return [...text.matchAll(MEMBER)].map(([, name = '']) => name);
}

/** The header for these gateways. */
export const toVia = (gateways: readonly string[]): string => gateways.map((name) => `1.1 ${name}`).join(', ');
