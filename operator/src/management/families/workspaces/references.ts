/** Guardrails and configs that bodies name by slug or UUID. */
import { referenceAbsent } from '../../http/rest-error.ts';
import type { StoredObject } from '../../store/index.ts';
import type { Services } from '../family.ts';

type Refs = readonly { readonly name: string }[];

interface Naming {
  /** The member of the body. */
  readonly param: string;
  /** In the order in which references look them up. */
  readonly namespaces: readonly string[];
}

/** Of a Guardrail in one of the namespaces. Throws RestError REFERENCE_ABSENT. */
export async function guardrailsNamed(
  given: readonly string[],
  { param, namespaces }: Naming,
  { store }: Services,
): Promise<readonly StoredObject<'Guardrail'>[]> {
  const found: StoredObject<'Guardrail'>[] = [];
  for (const [i, idOrSlug] of given.entries()) {
    const object = await guardrailAt(idOrSlug, namespaces, store);
    if (object === undefined) {
      throw referenceAbsent(`${param}[${i}]`, `The guardrail ${idOrSlug} does not exist`);
    }
    if (!found.some(({ meta }) => meta.name === object.meta.name)) found.push(object);
  }
  return found;
}

async function guardrailAt(
  idOrSlug: string,
  namespaces: readonly string[],
  store: Services['store'],
): Promise<StoredObject<'Guardrail'> | undefined> {
  for (const namespace of namespaces) {
    const object = await store.get({ kind: 'Guardrail', namespace, name: idOrSlug });
    if (object !== undefined) return object;
  }
  const object = await store.find('Guardrail', idOrSlug);
  return namespaces.includes(object?.meta.namespace ?? '') ? object : undefined;
}

/** References by name; null or an empty list takes them away, undefined: the body does not say. */
export async function toRefs(
  given: readonly string[] | null | undefined,
  naming: Naming,
  services: Services,
): Promise<Refs | null | undefined> {
  if (given === undefined || given === null) return given;
  const objects = await guardrailsNamed(given, naming, services);
  return objects.length === 0 ? null : objects.map(({ meta }) => ({ name: meta.name }));
}
