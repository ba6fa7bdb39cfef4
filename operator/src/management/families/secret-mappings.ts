/** `secret_mappings` of accounts: which fields take their values from secret references. */
import type { Issue } from '@gatehouse/crds';
import { toCamel } from '@gatehouse/crds/config';
import type { SecretMapping } from '@gatehouse/crds/kinds';
import type { RestSecretMapping } from '@gatehouse/crds/rest';
import { invalid } from '../http/rest-error.ts';
import type { Home, Tenancy } from '../tenancy/index.ts';
import { accountFieldsOf } from './account-fields.ts';
import type { Services } from './family.ts';

interface Account {
  readonly provider: string;
  /** The namespaces where references are looked for, in this order. */
  readonly namespaces: readonly string[];
}

/** Where the references of an account are looked for. */
export const referenceHomes = ({ namespace }: Home, { organisation }: Tenancy): readonly string[] => [
  ...new Set([namespace, organisation.namespace]),
];

const TARGET = /^(?:configurations|model_config)\.(.+)$/;

/** As resources have them; null or an empty list takes them away. Throws RestError INVALID. */
export async function toMappings(
  given: readonly RestSecretMapping[] | null | undefined,
  { provider, namespaces }: Account,
  { store }: Pick<Services, 'store'>,
): Promise<readonly object[] | null | undefined> {
  if (given === undefined || given === null) return given;
  const { keyField, nameOf } = accountFieldsOf(provider);
  const issues: Issue[] = [];
  const mappings = await Promise.all(
    given.map(async ({ target_field: target, secret_reference_id: id, secret_key: key, value_format: format }, i) => {
      const refuse = (member: string, message: string) =>
        issues.push({ code: 'invalid', path: ['secret_mappings', i, member], message });
      const member = TARGET.exec(target)?.[1];
      if (target !== 'key' && member === undefined)
        refuse('target_field', 'expected key, configurations.FIELD or model_config.FIELD');
      const name = await nameOfReference(id, namespaces, store);
      if (name === undefined) refuse('secret_reference_id', 'there is no such secret reference');
      return {
        field: member === undefined ? keyField : nameOf(member),
        secretReferenceRef: { name: name ?? id },
        ...(typeof key === 'string' ? { key } : {}),
        valueFormat: format === 'json' ? 'Json' : 'Text',
      };
    }),
  );
  if (issues.length > 0) throw invalid(issues, 'body');
  return mappings.length === 0 ? null : mappings;
}

async function nameOfReference(
  id: string,
  namespaces: readonly string[],
  store: Services['store'],
): Promise<string | undefined> {
  for (const namespace of namespaces) {
    const object = await store.get({ kind: 'SecretReference', namespace, name: id });
    if (object !== undefined) return object.meta.name;
  }
  const object = await store.find('SecretReference', id);
  return namespaces.includes(object?.meta.namespace ?? '') ? object?.meta.name : undefined;
}

/** As answers have them. */
export function showMappings(
  mappings: readonly SecretMapping[] = [],
  { provider, in: member }: { readonly provider: string; readonly in: 'configurations' | 'model_config' },
) {
  const { keyField } = accountFieldsOf(provider);
  const nameOf = (field: string): string => `${member}.${member === 'model_config' ? toCamel(field) : field}`;
  return mappings.map(({ field, secretReferenceRef, key, valueFormat }) => ({
    target_field: field === keyField ? 'key' : nameOf(field),
    secret_reference_id: secretReferenceRef.name,
    secret_key: key ?? null,
    value_format: valueFormat === 'Json' ? ('json' as const) : ('string' as const),
  }));
}
