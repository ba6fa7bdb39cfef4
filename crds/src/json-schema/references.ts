/** References between schemas: RFC 3986 for addresses, RFC 6901 for places below them. */

export interface Reference {
  /** Without the fragment. */
  readonly uri: string;
  /** The steps of a place in the document; empty: the whole. */
  readonly pointer?: readonly string[];
  readonly anchor?: string;
}

/** Undefined: it is no address. */
export const resolveUri = (reference: string, base: string): string | undefined => URL.parse(reference, base)?.href;

export function parseReference(reference: string, base: string): Reference | undefined {
  const href = resolveUri(reference, base);
  if (href === undefined) return undefined;
  const hash = href.indexOf('#');
  const uri = hash < 0 ? href : href.slice(0, hash);
  const fragment = hash < 0 ? '' : decoded(href.slice(hash + 1));
  if (fragment === undefined) return undefined;
  if (fragment === '') return { uri, pointer: [] };
  if (!fragment.startsWith('/')) return { uri, anchor: fragment };
  const steps = fragment.slice(1).split('/');
  return { uri, pointer: steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')) };
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
