/** The Kinds that the management API has, each with its family. A further one is one row. */
import { KINDS, type KindName } from '@gatehouse/crds/kinds';
import { API_KEYS } from './api-keys.ts';
import { CONFIGS } from './configs.ts';
import type { Family } from './family.ts';
import { GUARDRAILS } from './guardrails.ts';
import { RATE_LIMIT_POLICIES, USAGE_LIMIT_POLICIES } from './policies.ts';
import { PROVIDERS } from './providers.ts';
import { VIRTUAL_KEYS } from './virtual-keys.ts';

/** What a spec of another Kind is for a family never occurs: objects are looked up by their Kind. */
const row = <K extends KindName>(family: Family<K>): Family => family as unknown as Family;

/** In the order in which objects are made: each may refer to those before it. */
export const FAMILIES: readonly Family[] = [
  row(VIRTUAL_KEYS),
  row(PROVIDERS),
  row(GUARDRAILS),
  row(CONFIGS),
  row(RATE_LIMIT_POLICIES),
  row(USAGE_LIMIT_POLICIES),
  row(API_KEYS),
];

export const familyOf = (kind: string): Family | undefined => FAMILIES.find((family) => family.kind === kind);

/** The family of a Kind as `kubectl` would find it: by its name, its plural or a short name, in any case. */
export function findFamily(text: string): Family | undefined {
  const wanted = text.toLowerCase();
  return FAMILIES.find(({ kind }) => {
    const { plural, singular, shortNames } = KINDS[kind];
    return [plural, singular, ...shortNames].includes(wanted);
  });
}
