/** The members of a workspace in bodies, in resources and in answers. */
import type { workspaces } from '@gatehouse/crds/rest';
import type { z } from 'zod';
import type { StoredObject } from '../../store/index.ts';
import { configNameOf } from '../api-keys/index.ts';
import type { Services } from '../family.ts';
import { givenFields } from '../fields.ts';
import { showRateLimits, showUsageLimits, toRateLimits, toUsageLimits } from '../limits.ts';
import { toRefs } from './references.ts';

export type WorkspaceObject = StoredObject<'Workspace'>;
export type WorkspaceFields = z.output<typeof workspaces.update.body>;
type Spec = WorkspaceObject['spec'];

/** The members of `defaults` that are given, with names for what they name. Throws RestError ABSENT. */
export async function readDefaults(
  { defaults }: WorkspaceFields,
  namespace: string,
  services: Services,
): Promise<Readonly<Record<string, unknown>> | null | undefined> {
  if (defaults === undefined || defaults === null) return defaults;
  const namespaces = [namespace, services.tenancy.organisation.namespace];
  const at = (direction: string) => ({ param: `defaults.${direction}_guardrails`, namespaces });
  const config = { defaults: { config_id: defaults.user_api_key_config } };
  const configName = await configNameOf(config, namespace, services, 'defaults.user_api_key_config');
  return givenFields({
    metadata: defaults.metadata,
    inputGuardrailRefs: await toRefs(defaults.input_guardrails, at('input'), services),
    outputGuardrailRefs: await toRefs(defaults.output_guardrails, at('output'), services),
    configRef: typeof configName === 'string' ? { name: configName } : configName,
  });
}

/** What is given over what is there; `defaults` are those of `readDefaults`. */
export function toSpec(
  body: WorkspaceFields,
  defaults: Awaited<ReturnType<typeof readDefaults>>,
  before: Partial<Spec>,
): Readonly<Record<string, unknown>> {
  const wanted = defaults && { ...before.defaults, ...defaults };
  const isEmpty =
    wanted !== undefined && wanted !== null && Object.values(wanted).every((value) => value === undefined);
  return {
    ...before,
    ...givenFields({
      displayName: body.name,
      description: body.description,
      defaults: isEmpty ? null : wanted,
      usageLimits: toUsageLimits(body, before.usageLimits),
      rateLimits: toRateLimits(body.rate_limits),
    }),
  };
}

/** As lists show it; a record has what it names, too. */
export function toItem(object: WorkspaceObject, isDefault: boolean) {
  const { meta, spec } = object;
  const budgets = showUsageLimits(object);
  const is_default = isDefault ? (1 as const) : (0 as const);
  return {
    object: 'workspace' as const,
    id: meta.uid,
    slug: meta.name,
    name: nameOf(object),
    description: spec.description ?? null,
    namespace: spec.namespace,
    status: 'active' as const,
    is_default,
    created_at: meta.createdAt,
    last_updated_at: meta.updatedAt,
    last_reset_at: budgets[0]?.last_reset_at ?? null,
    defaults: { metadata: { ...spec.defaults?.metadata }, is_default, object: 'workspace' as const },
    usage_limits: budgets,
    rate_limits: showRateLimits(object),
  };
}

export const nameOf = ({ meta, spec }: WorkspaceObject): string => spec.displayName ?? meta.name;

export function toRecord(object: WorkspaceObject, isDefault: boolean) {
  const { defaults = {} } = object.spec;
  const item = toItem(object, isDefault);
  const namesOf = (refs: readonly { readonly name: string }[] = []) => refs.map(({ name }) => name);
  return {
    ...item,
    defaults: {
      ...item.defaults,
      input_guardrails: namesOf(defaults.inputGuardrailRefs),
      output_guardrails: namesOf(defaults.outputGuardrailRefs),
      user_api_key_config: defaults.configRef?.name ?? null,
    },
  };
}
