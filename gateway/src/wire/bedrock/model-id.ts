/** Reads Bedrock model ids. */

export type Family = 'anthropic' | 'cohere' | 'meta' | 'mistral' | 'amazon' | 'ai21' | 'stability' | 'other';

const FAMILIES: ReadonlySet<string> = new Set([
  'anthropic',
  'cohere',
  'meta',
  'mistral',
  'amazon',
  'ai21',
  'stability',
] satisfies Family[]);

const REGION_PREFIX = /^(?:us-gov|us|eu|apac|au|ca|jp|sa|global)\./;

export interface BedrockModel {
  /** The decoded id for URLs. */
  readonly id: string;
  /** The foundation model; undefined when it has to be looked up. */
  readonly foundation: string | undefined;
  /** The inference profile to look up. */
  readonly profile: string | undefined;
}

/** Reads a model id or ARN, URL-encoded or not. */
export function readModelId(model: string): BedrockModel {
  const id = decodedOnce(model);
  if (!/^arn:aws[a-z-]*:/.test(id)) return { id, foundation: id, profile: undefined };
  const [, resource = ''] = /^(?:[^:]*:){5}(.*)$/s.exec(id) ?? [];
  const slash = resource.indexOf('/');
  const type = resource.slice(0, slash);
  const name = resource.slice(slash + 1);
  if (type === 'foundation-model') return { id, foundation: name.slice(name.lastIndexOf('/') + 1), profile: undefined };
  if (!type.endsWith('inference-profile')) return { id, foundation: undefined, profile: undefined };
  // Ids of the service's own profiles are model names; ids of an account's profiles are opaque.
  return familyOf(name) === 'other'
    ? { id, foundation: undefined, profile: id }
    : { id, foundation: name, profile: undefined };
}

/** The vendor before the first dot, after one region prefix. */
export function familyOf(foundation: string | undefined): Family {
  const vendor = withoutRegion(foundation ?? '').split('.', 1)[0] ?? '';
  return FAMILIES.has(vendor) ? (vendor as Family) : 'other';
}

/** The id of the model without the prefix of a region group such as `eu.`. */
export function withoutRegion(id: string): string {
  return id.replace(REGION_PREFIX, '');
}

/** Models on which chat is text completion with a prompt. */
const LEGACY_CHAT: ReadonlySet<string> = new Set([
  'cohere.command-text-v14',
  'cohere.command-light-text-v14',
  'ai21.j2-mid-v1',
  'ai21.j2-ultra-v1',
]);

export const isLegacyChat = (foundation: string | undefined): boolean =>
  LEGACY_CHAT.has(withoutRegion(foundation ?? ''));

function decodedOnce(model: string): string {
  try {
    return decodeURIComponent(model);
  } catch {
    return model;
  }
}
