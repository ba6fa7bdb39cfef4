import type { SecretReference } from '@gatehouse/crds/kinds';
import {
  defineRule,
  FETCH_PROBLEMS,
  type Finding,
  type Lookups,
  objectKey,
  pending,
  type SecretFetch,
  secretNotFetched,
} from '../types/index.ts';
import { fetchOf, kubernetesFinding } from './shared/index.ts';

/** A SecretReference has no entries: its value is in those of the accounts that take it. */
export const secretReference = defineRule({
  kind: 'SecretReference',
  translate(resource, scope, view) {
    const placed = scope.workspace === null ? [] : placement(resource.spec);
    if (resource.spec.manager === 'Kubernetes') {
      const finding = kubernetesFinding(resource, ['spec', resource.spec.key === undefined ? 'path' : 'key'], view);
      return { entries: [], findings: finding === undefined ? placed : [...placed, finding] };
    }
    const fetch = fetchOf(resource, scope, view);
    if (!fetch.ok) return { entries: [], findings: [...placed, fetch.error] };
    if (fetch.value === undefined) return { entries: [], findings: placed };
    return { entries: [], findings: [...placed, ...fetchFindings(fetch.value, resource, view)], fetch: fetch.value };
  },
});

function fetchFindings({ target }: SecretFetch, { metadata }: SecretReference, view: Lookups): readonly Finding[] {
  const { namespace = '', name } = metadata;
  const reading = view.managedSecret(namespace, name);
  const path = ['spec', 'path'];
  if (reading === undefined || reading.target !== target)
    return [pending(path, `the secret of ${objectKey(namespace, name)} is not fetched yet`, 'serve')];
  if (reading.problem === undefined) return [];
  const rest = reading.value === undefined ? '' : '; the last value stays in use';
  return [secretNotFetched(path, `${FETCH_PROBLEMS[reading.problem]}${rest}`)];
}

/** Only references of the organisation hand their values to others. */
function placement({ allowAllWorkspaces, allowedWorkspaces }: SecretReference['spec']): readonly Finding[] {
  const message = 'only a SecretReference of the organisation allows workspaces';
  const given = allowAllWorkspaces ? 'allowAllWorkspaces' : allowedWorkspaces && 'allowedWorkspaces';
  return given === undefined ? [] : [{ reason: 'Invalid', path: ['spec', given], message, effect: 'serve' }];
}
