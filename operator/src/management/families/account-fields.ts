/** The fields of an account: those of a provider of models, or of a guardrail service. */

import { toSnake } from '@gatehouse/crds/config';
import { PLUGIN_CREDENTIALS } from '@gatehouse/crds/guardrails';
import {
  API_KEY,
  PROVIDER_CATALOGUE,
  type ProviderEntry,
  secretFieldsOf,
  settingsProblems,
} from '@gatehouse/crds/providers';

export interface AccountFields {
  /** Fields that go into the Secret. */
  readonly secret: ReadonlySet<string>;
  /** The secret field that `key` is. */
  readonly keyField: string;
  /** The field that a member of a body is, in either spelling. */
  nameOf(member: string): string;
  /** What is wrong with a setting; undefined: nothing. */
  problemOf(field: string): string | undefined;
}

/** A provider that is not known has no fields but its key: the resource is refused for its provider. */
export function accountFieldsOf(provider: string): AccountFields {
  const entry = PROVIDER_CATALOGUE.get(provider);
  const service = entry === undefined ? PLUGIN_CREDENTIALS.get(provider) : undefined;
  if (service !== undefined) {
    const secret = service.filter((field) => field.secret).map(({ name }) => name);
    // What is wrong with the others is said of the resource, with the names that there are.
    return {
      secret: new Set(secret),
      keyField: secret[0] ?? API_KEY,
      nameOf: (member) => member,
      problemOf: () => undefined,
    };
  }
  return {
    secret: new Set(entry === undefined ? [] : secretFieldsOf(entry)),
    keyField: API_KEY,
    nameOf: (member) => fieldNameOf(member, entry),
    problemOf: (field) => settingsProblems(entry, [field])[0]?.message,
  };
}

/** Fields are also known by the ends of their headers: `azure_resource_name` is `resource_name`. */
function fieldNameOf(member: string, entry: ProviderEntry | undefined): string {
  const name = toSnake(member);
  const fields = entry?.fields ?? [];
  if (fields.some(({ key }) => key === name)) return name;
  const header = `x-gw-${name.replaceAll('_', '-')}`;
  return fields.find((field) => field.header === header)?.key ?? name;
}
