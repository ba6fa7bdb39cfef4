/** Labels that calls name; those that every workspace has are no objects. */
import { BUILT_IN_LABELS } from '@gatehouse/crds/prompts';
import type { StoredObject } from '../../store/index.ts';
import type { Home } from '../../tenancy/index.ts';
import type { RestCall, Services } from '../family.ts';
import { type Found, findObject } from '../find.ts';

export const WHAT = 'label';

export type LabelObject = StoredObject<'PromptLabel'>;

/** UUIDs of the built-in labels, the same in every installation. */
const BUILT_IN_IDS: ReadonlyMap<string, string> = new Map(
  BUILT_IN_LABELS.map((name, i) => [name, `00000000-0000-5000-8000-${String(i + 1).padStart(12, '0')}`]),
);

export interface BuiltInLabel {
  readonly id: string;
  readonly name: string;
}

export const BUILT_INS: readonly BuiltInLabel[] = [...BUILT_IN_IDS].map(([name, id]) => ({ id, name }));

/** By UUID or name. */
export const builtInLabel = (idOrName: string): BuiltInLabel | undefined =>
  BUILT_INS.find(({ id, name }) => id === idOrName || name === idOrName);

/** What stands after the @. */
export const labelOf = ({ meta, spec }: LabelObject): string => spec.label ?? meta.name;

/** Of an object. Throws RestError ABSENT. */
export const findLabel = (
  idOrSlug: string,
  call: Pick<RestCall, 'caller' | 'workspaceId'>,
  services: Services,
): Promise<Found<'PromptLabel'>> => findObject('PromptLabel', idOrSlug, { call, services }, WHAT);

/** The object of a home with a label. */
export const labelNamed = async (
  label: string,
  { namespace }: Home,
  { store }: Pick<Services, 'store'>,
): Promise<LabelObject | undefined> =>
  (await store.list('PromptLabel', namespace)).find((one) => labelOf(one) === label);

/** The UUID of the label that versions have under a name: built in, or that of an object. */
export async function labelIdOf(
  name: string,
  { namespace }: Home,
  { store }: Pick<Services, 'store'>,
): Promise<string | null> {
  const builtIn = BUILT_IN_IDS.get(name);
  return builtIn ?? (await store.get({ kind: 'PromptLabel', namespace, name }))?.meta.uid ?? null;
}
