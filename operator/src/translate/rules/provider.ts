import type { Integration, Provider } from '@gatehouse/crds/kinds';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import type { EntryBody } from '@gatehouse/crds/snapshot';
import type { Lookups } from '../types/index.ts';
import {
  defineRule,
  type Finding,
  identityNotGranted,
  missing,
  notPermitted,
  type ObjectScope,
  objectKey,
  verdictKey,
} from '../types/index.ts';
import { accessesOf, accountBody, identityGrantOf, limitsOf, reachOf, slugConflict } from './shared/index.ts';

const INTEGRATION = ['spec', 'integrationRef', 'name'];

export const provider = defineRule({
  kind: 'Provider',
  translate(resource, scope, view) {
    const { metadata, spec } = resource;
    const conflicts = slugConflict(resource, scope.namespace, view);
    const integration = integrationOf(resource, scope, view);
    if (integration === undefined) return { entries: [], findings: [...conflicts, unresolved(spec, scope, view)] };
    const key = objectKey(integration.metadata.namespace, integration.metadata.name);
    if (!PROVIDER_CATALOGUE.has(integration.spec.provider)) {
      const message = `the Integration ${integration.metadata.name} is one of a guardrail service, which has no models`;
      return { entries: [], findings: [...conflicts, missing(INTEGRATION, message, 'withdraw')] };
    }
    const credential = view.credentialOf(key);
    if (credential === undefined) {
      const message = `the Integration ${integration.metadata.name} cannot be used as it is`;
      return {
        entries: [],
        findings: [...conflicts, missing(INTEGRATION, message, 'withdraw', [verdictKey('Integration', key)])],
      };
    }
    const owner = integration.metadata.namespace === scope.settings.organisationNamespace ? null : scope.workspace;
    const lending = identityGrantOf(integration.spec, owner, view);
    if (lending.findings.length > 0) {
      const message = `the Integration ${integration.metadata.name} cannot be used as it is`;
      return { entries: [], findings: [...conflicts, identityNotGranted(INTEGRATION, message)] };
    }
    // Hosts are checked for the owner of the Integration: a shared one belongs to the organisation.
    const home = integration.metadata.namespace === scope.namespace ? scope : { ...scope, workspace: null };
    return {
      entries: [
        {
          kind: 'provider',
          workspace: scope.workspace,
          name: metadata.name,
          body: {
            slug: metadata.name,
            ...accountBody(integration.spec, credential ?? undefined, lending, reachOf(integration, home, view).reach),
            ...modelsOf(integration),
            ...pricesOf(integration),
            ...overloadOf(spec),
            ...(spec.expiresAt === undefined ? {} : { expiresAt: spec.expiresAt }),
            ...limitsOf(spec),
            ...(owner === null ? accessesOf(spec.integrationRef.name, scope, view) : {}),
            ...(scope.workspace === null ? { grants: [...view.grantsOf(spec.integrationRef.name)] } : {}),
          },
        },
      ],
      findings: conflicts,
    };
  },
});

/** An Integration of the workspace, else one of the organisation that is granted to it. */
function integrationOf(
  { spec }: Provider,
  { namespace, workspace, settings }: ObjectScope,
  view: Lookups,
): Integration | undefined {
  const { name } = spec.integrationRef;
  const own = view.find('Integration', namespace, name);
  if (own !== undefined || workspace === null) return own;
  return view.isGranted(name, workspace) ? view.find('Integration', settings.organisationNamespace, name) : undefined;
}

/** When an Integration is removed or withdrawn, its Providers are, too: nothing may go on using its credential. */
function unresolved(
  { integrationRef: { name } }: Provider['spec'],
  { namespace, workspace, settings }: ObjectScope,
  view: Lookups,
): Finding {
  const shared = workspace !== null && view.isGranted(name, workspace);
  const namespaces = shared ? [namespace, settings.organisationNamespace] : [namespace];
  const refersTo = [namespace, settings.organisationNamespace].map((home) =>
    verdictKey('Integration', objectKey(home, name)),
  );
  if (namespaces.some((home) => view.isBroken('Integration', home, name))) {
    return missing(INTEGRATION, `the Integration ${name} is not valid`, 'keep', refersTo);
  }
  if (workspace === null) return missing(INTEGRATION, `the Integration ${name} does not exist`, 'withdraw', refersTo);
  const message = `the Integration ${name} does not exist or is not granted to the workspace`;
  return notPermitted(INTEGRATION, message, 'withdraw', refersTo);
}

type ModelMember = 'models' | 'modelNames' | 'modelHosts' | 'baseModels' | 'modelMarks';

function modelsOf({ spec }: Integration): Pick<EntryBody<'provider'>, ModelMember> {
  const enabled = (spec.models ?? []).filter((model) => model.enabled);
  const named = ({ displayName, slug }: Model): string | undefined =>
    displayName ?? (spec.allowAllModels ? slug : undefined);
  return {
    ...(spec.allowAllModels ? {} : { models: enabled.map(({ slug }) => slug) }),
    ...byModel('modelNames', enabled, named),
    ...byModel('modelHosts', enabled, ({ customHost }) => customHost),
    ...byModel('baseModels', enabled, ({ baseModel }) => baseModel),
    ...byModel('modelMarks', enabled, marksOf),
  };
}

type Model = NonNullable<Integration['spec']['models']>[number];

function marksOf({ custom, finetune }: Model): string[] | undefined {
  const marks = [...(custom ? ['custom'] : []), ...(finetune ? ['finetune'] : [])];
  return marks.length === 0 ? undefined : marks;
}

/** A member with a value for each model that has one; no member when none has. */
function byModel<const K extends ModelMember, T>(
  member: K,
  models: readonly Model[],
  read: (model: Model) => T | undefined,
): { readonly [P in K]?: Record<string, T> } {
  const values = models.flatMap((model) => {
    const value = read(model);
    return value === undefined ? [] : [[model.slug, value] as const];
  });
  return values.length === 0 ? {} : ({ [member]: Object.fromEntries(values) } as { [P in K]: Record<string, T> });
}

function pricesOf({ spec }: Integration): Pick<EntryBody<'provider'>, 'prices' | 'priceMultiplier'> {
  const priced = (spec.models ?? []).flatMap(({ slug, usdPerMillionTokens }) =>
    usdPerMillionTokens === undefined ? [] : [[slug, usdPerMillionTokens] as const],
  );
  return {
    ...(priced.length === 0 ? {} : { prices: Object.fromEntries(priced) }),
    ...(spec.priceMultiplier === undefined ? {} : { priceMultiplier: spec.priceMultiplier }),
  };
}

/** What the Provider itself says stands before what its Integration says. */
const overloadOf = ({ inspectStreamForOverload }: Provider['spec']): Partial<EntryBody<'provider'>> =>
  inspectStreamForOverload === undefined ? {} : { inspectStreamForOverload };
