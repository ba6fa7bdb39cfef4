import { isObject } from '@gatehouse/crds';
import { type AnyEntry, SIDECAR_PLACEHOLDER_KEY, type Snapshot } from '@gatehouse/crds/snapshot';
import { fleetNeeds, type SidecarSnapshot, sidecarSnapshot } from '@gatehouse/operator/translate';
import { config, key, organisation, provider, snapshot, workspace } from '@gatehouse/test/kit';

const profile = (name: string) => ({
  apiVersion: 'gatehouse.dev/v1alpha1',
  kind: 'SidecarProfile',
  metadata: { name, namespace: 'team-a', generation: 1 },
  spec: { defaults: { configRef: { name: 'main' } } },
});

/** What a fleet serves: a workspace with a provider of its own and one of the organisation, and another workspace. */
const fleetWorld = (model: string, upstream: string): Snapshot =>
  snapshot(
    organisation(),
    workspace(),
    workspace('team-b'),
    key(),
    provider('local', { customHost: `${upstream}/v1` }),
    provider('shared', {
      workspace: null,
      grants: ['*'],
      customHost: `${upstream}/v1`,
      secret: 'sk-of-the-organisation',
    }),
    provider('theirs', { workspace: 'team-b', customHost: `${upstream}/v1`, secret: 'sk-of-team-b' }),
    config('main', { provider: '@local', override_params: { model } }),
    config('shared-first', {
      strategy: { mode: 'fallback' },
      targets: [{ provider: '@shared' }, { provider: '@local', override_params: { model } }],
    }),
    config('theirs', { provider: '@theirs' }, { workspace: 'team-b' }),
  );

/** The Snapshot for the sidecars of team-a with the profile `app`, as the operator makes it. */
export const sidecarWorld = (model: string, upstream: string): SidecarSnapshot =>
  sidecarSnapshot(fleetWorld(model, upstream), 'team-a', [profile('app')] as never);

export const needs = (given: SidecarSnapshot): readonly string[] => fleetNeeds(given);

export interface SidecarAnswer {
  readonly status: number;
  readonly model: unknown;
  readonly code: unknown;
}

/** Asks as an SDK does that was given the placeholder for a key. */
export async function askSidecar(url: string, headers: Readonly<Record<string, string>> = {}): Promise<SidecarAnswer> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SIDECAR_PLACEHOLDER_KEY}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'hi' }] }),
  });
  const body: unknown = await response.json();
  const error = isObject(body) && isObject(body['error']) ? body['error'] : {};
  return { status: response.status, model: isObject(body) ? body['model'] : undefined, code: error['code'] };
}

export const textOf = (entries: readonly AnyEntry[]): string => JSON.stringify(entries);
