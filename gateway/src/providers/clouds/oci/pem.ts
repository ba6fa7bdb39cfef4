/** What it takes to open a private key, read from its envelope before anything is computed. */

/** An element of DER (X.690): its tag and contents. */
interface Element {
  readonly tag: number;
  readonly contents: Buffer;
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const OBJECT_ID = 0x06;

/** PBKDF2, RFC 8018 A.2, as the bytes of 1.2.840.113549.1.5.12. */
const PBKDF2 = '2a864886f70d01050c';
/** The older scheme PBES1 has its rounds in the parameters: RFC 8018 A.3. */
const PBES1_PREFIX = '2a864886f70d0105';
const PKCS12_PREFIX = '2a864886f70d010c01';
const PBES2 = '2a864886f70d01050d';

/**
 * The rounds of the key derivation of an encrypted PKCS #8 key; 0 where the text has none. Infinite for a scheme that is not known
 * here. The encryption inside a PKCS #1 envelope has one round.
 */
export function derivationCost(pem: string): number {
  const body = /-----BEGIN ENCRYPTED PRIVATE KEY-----([\s\S]*?)-----END/.exec(pem)?.[1];
  if (body === undefined) return 0;
  const [envelope] = elementsOf(Buffer.from(body, 'base64'));
  const [algorithm] = childrenOf(envelope);
  const [scheme, parameters] = childrenOf(algorithm);
  const id = idOf(scheme);
  if (id === PBES2) return pbes2Cost(parameters);
  if (id.startsWith(PKCS12_PREFIX) || id.startsWith(PBES1_PREFIX)) return roundsIn(childrenOf(parameters));
  return Number.POSITIVE_INFINITY;
}

function pbes2Cost(parameters: Element | undefined): number {
  const [derivation] = childrenOf(parameters);
  const [id, options] = childrenOf(derivation);
  return idOf(id) === PBKDF2 ? roundsIn(childrenOf(options)) : Number.POSITIVE_INFINITY;
}

/** The first number, which follows the salt. */
function roundsIn(elements: readonly Element[]): number {
  const number = elements.find(({ tag }) => tag === INTEGER)?.contents;
  return number === undefined || number.length > 6 ? Number.POSITIVE_INFINITY : number.readUIntBE(0, number.length);
}

const idOf = (element: Element | undefined): string =>
  element?.tag === OBJECT_ID ? element.contents.toString('hex') : '';

const childrenOf = (element: Element | undefined): readonly Element[] =>
  element?.tag === SEQUENCE ? elementsOf(element.contents) : [];

/** The elements of a text in order, as far as they can be read. */
function elementsOf(bytes: Buffer): readonly Element[] {
  const elements: Element[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const tag = bytes[at] ?? 0;
    const size = sizeAt(bytes, at + 1);
    if (size === undefined || size.start + size.length > bytes.length) break;
    elements.push({ tag, contents: bytes.subarray(size.start, size.start + size.length) });
    at = size.start + size.length;
  }
  return elements;
}

function sizeAt(bytes: Buffer, at: number): { readonly start: number; readonly length: number } | undefined {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return { start: at + 1, length: first };
  const count = first & 0x7f;
  if (count === 0 || count > 4 || at + 1 + count > bytes.length) return undefined;
  return { start: at + 1 + count, length: bytes.readUIntBE(at + 1, count) };
}
