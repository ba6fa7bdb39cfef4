/** Whether one object is within the quota of its namespace, for controllers that create more objects for it. */
import type { KindName } from '@gatehouse/crds/kinds';
import { brokenBounds } from './rules/shared/index.ts';
import type { Translation } from './translate.ts';
import type { QuotaBound } from './types/index.ts';
import { overQuota, verdictKey } from './types/index.ts';

export interface QuotaStanding {
  /** The bounds that it exceeds. */
  readonly broken: readonly QuotaBound[];
  /** The condition to report; undefined: it is within the quota. */
  readonly refusal: { readonly reason: 'QuotaExceeded'; readonly message: string } | undefined;
}

/** Undefined: the translation does not know an object with this uid. */
export function quotaStandingOf(
  { memo }: Pick<Translation, 'memo'>,
  kind: KindName,
  { key, uid }: { readonly key: string; readonly uid: unknown },
): QuotaStanding | undefined {
  const parsed = memo.states.get(kind)?.get(key)?.parsed;
  if (parsed === undefined || parsed.object.metadata['uid'] !== uid) return undefined;
  const broken = brokenBounds(memo.ledger, parsed.object.metadata.namespace ?? '', verdictKey(kind, key));
  if (broken === undefined) return { broken: [], refusal: undefined };
  const { message } = overQuota(broken);
  return { broken: broken.map(({ bound }) => bound), refusal: { reason: 'QuotaExceeded', message } };
}
