/** Services behind checks: what their credentials consist of. */
import { PROVIDER_CATALOGUE } from '../providers/index.ts';
import type { CredentialField } from './check.ts';
import { CHECK_ENTRIES } from './register.ts';

/** The part of a check's id before the dot. */
export const pluginOf = (checkId: string): string => checkId.split('.')[0] ?? '';

/** The credential of each plugin that takes one: the fields of all of its checks. */
export const PLUGIN_CREDENTIALS: ReadonlyMap<string, readonly CredentialField[]> = new Map(
  [...Map.groupBy(CHECK_ENTRIES, ({ id }) => pluginOf(id))].flatMap(([plugin, entries]) => {
    const fields = new Map(entries.flatMap(({ credential }) => credential?.fields ?? []).map((one) => [one.name, one]));
    return fields.size === 0 ? [] : [[plugin, [...fields.values()]] as const];
  }),
);

/** Plugins whose credential an Integration may hold: those that are no provider of models. */
export const INTEGRATION_PLUGINS: readonly string[] = [...PLUGIN_CREDENTIALS.keys()].filter(
  (plugin) => !PROVIDER_CATALOGUE.has(plugin),
);

/** Required fields that are not given. */
export const missingFieldsOf = (fields: readonly CredentialField[], has: (name: string) => boolean): string[] =>
  fields.filter(({ name, required }) => required && !has(name)).map(({ name }) => name);
