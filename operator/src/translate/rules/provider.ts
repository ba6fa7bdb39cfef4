import type { Integration, Provider } from '@gatehouse/crds/kinds';
import type { EntryBody } from '@gatehouse/crds/snapshot';
import type { Lookups } from '../types/index.ts';
import {
  defineTranslator,
  type Finding,
  missing,
  notLent,
  notPermitted,
  objectKey,
  type Place,
} from '../types/index.ts';
import { accountBody, lendingOf, reachOf, slugConflict } from './shared/index.ts';

const INTEGRATION = ['spec', 'integrationRef', 'name'];

export const provider = defineTranslator({
  kind: 'Provider',
  make(resource, place, view) {
    const { metadata, spec } = resource;
    const conflicts = slugConflict(resource, place.namespace, view);
    const integration = integrationOf(resource, place, view);
    if (integration === undefined) return { drafts: [], findings: [...conflicts, unresolved(spec, place, view)] };
    const key = objectKey(integration.metadata.namespace, integration.metadata.name);
    const credential = view.credentialOf(key);
    if (credential === undefined) {
      const message = `the Integration ${integration.metadata.name} cannot be used as it is`;
      return { drafts: [], findings: [...conflicts, missing(INTEGRATION, message, 'withdraw')] };
    }
    const owner = integration.metadata.namespace === place.settings.organisationNamespace ? null : place.workspace;
    const lending = lendingOf(integration.spec, owner, view);
    if (lending.findings.length > 0) {
      const message = `the Integration ${integration.metadata.name} cannot be used as it is`;
      return { drafts: [], findings: [...conflicts, notLent(INTEGRATION, message)] };
    }
    // Hosts lead as far as whoever names them may go: a shared Integration is the organisation's.
    const home = integration.metadata.namespace === place.namespace ? place : { ...place, workspace: null };
    return {
      drafts: [
        {
          kind: 'provider',
          workspace: place.workspace,
          name: metadata.name,
          body: {
            slug: metadata.name,
            ...accountBody(integration.spec, credential ?? undefined, lending, reachOf(integration, home, view).reach),
            ...modelsOf(integration),
            ...(spec.expiresAt === undefined ? {} : { expiresAt: spec.expiresAt }),
            ...(place.workspace === null ? { grants: [...view.grantsOf(spec.integrationRef.name)] } : {}),
          },
        },
      ],
      findings: conflicts,
    };
  },
});

/** One of the workspace, else one of the organisation that is granted to it (DESIGN section 4). */
function integrationOf(
  { spec }: Provider,
  { namespace, workspace, settings }: Place,
  view: Lookups,
): Integration | undefined {
  const { name } = spec.integrationRef;
  const own = view.find('Integration', namespace, name);
  if (own !== undefined || workspace === null) return own;
  return view.isGranted(name, workspace) ? view.find('Integration', settings.organisationNamespace, name) : undefined;
}

/** An Integration that is gone or withdrawn takes its Providers along: nothing may go on with its credential. */
function unresolved(
  { integrationRef: { name } }: Provider['spec'],
  { namespace, workspace, settings }: Place,
  view: Lookups,
): Finding {
  const shared = workspace !== null && view.isGranted(name, workspace);
  const places = shared ? [namespace, settings.organisationNamespace] : [namespace];
  if (places.some((place) => view.isBroken('Integration', place, name))) {
    return missing(INTEGRATION, `the Integration ${name} is not valid`, 'keep');
  }
  if (workspace === null) return missing(INTEGRATION, `the Integration ${name} does not exist`, 'withdraw');
  const message = `the Integration ${name} does not exist or is not granted to the workspace`;
  return notPermitted(INTEGRATION, message, 'withdraw');
}

function modelsOf({ spec }: Integration): Pick<EntryBody<'provider'>, 'models'> {
  if (spec.allowAllModels) return {};
  return { models: (spec.models ?? []).filter(({ enabled }) => enabled).map(({ slug }) => slug) };
}
