/** A fleet and sidecars of one workspace, with TLS between them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EntryBody } from '@gatehouse/crds/snapshot';
import { type RunningGateway, type StartOptions, startGateway, startWorld, type World } from './gateway.ts';
import { type Received, send } from './http.ts';
import { type Entries, fleetProvider, issuer, organisation, provider, sidecar, TEAM, workspace } from './snapshot.ts';
import { LOOPBACK_PEM } from './tls.ts';
import { createTokenIssuer } from './token-issuer.ts';

export type WorkspaceLimits = Pick<EntryBody<'workspace'>, 'rateLimits' | 'usageLimits'>;

export const FLEET_TLS = { TLS_KEY: LOOPBACK_PEM, TLS_CERT: LOOPBACK_PEM };
/** The pods of this namespace act in the workspace. */
const INJECTED = 'injected';
const CLUSTER = 'https://kubernetes.default.svc';
/** The machines of tests are busy: far above the default. */
const PATIENT_MS = '10000';

interface FleetOptions {
  readonly more?: Entries;
  /** Default: with TLS. */
  readonly env?: Readonly<Record<string, string>>;
  readonly requestLog?: StartOptions['requestLog'];
}

interface SidecarOptions {
  readonly pod: string;
  /** Of the fleet; undefined: the profile has none. */
  readonly url: string | undefined;
  readonly limits: WorkspaceLimits;
  readonly more?: Entries;
  readonly policy?: 'open' | 'closed';
  /** The fleet keeps a request log. */
  readonly records?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

export interface SidecarWorld extends AsyncDisposable {
  /** As the kubelet projects it into the pod; undefined: of no pod. */
  tokenOf(pod: string | undefined, namespace?: string): Promise<string>;
  /** It also serves the workspace `team-b` with three requests a day, whose pods are in the namespace `apps-of-b`. */
  startFleet(limits: WorkspaceLimits, options?: FleetOptions): Promise<World>;
  /** With `@local`, which stays in the pod, and `@shared`, which goes to the fleet. */
  startSidecar(options: SidecarOptions): Promise<RunningGateway>;
}

/** What both sides know of the workspace. */
const known = (limits: WorkspaceLimits, more: Entries = []): Entries => [
  organisation(),
  workspace(TEAM, { ...limits, sidecarIdentity: { namespace: INJECTED, scopes: ['completions.write'] } }),
  ...more,
];

export async function startSidecarWorld(): Promise<SidecarWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sidecars-'));
  const signer = await createTokenIssuer();
  const beside = await startWorld();
  const tokenOf: SidecarWorld['tokenOf'] = (pod, namespace = INJECTED) => {
    const now = Math.floor(Date.now() / 1000);
    return signer.sign({
      ...{ iss: CLUSTER, aud: ['gatehouse.dev/gateway'], sub: `system:serviceaccount:${namespace}:default` },
      ...{ iat: now, exp: now + 600 },
      'kubernetes.io': {
        namespace,
        serviceaccount: { name: 'default', uid: 'u-1' },
        ...(pod === undefined ? {} : { pod: { name: pod, uid: `uid-of-${pod}` } }),
      },
    });
  };
  return {
    tokenOf,
    startFleet: (limits, { more = [], env = FLEET_TLS, requestLog } = {}) =>
      startWorld({
        ...{ env, requestLog },
        entries: ({ url }) => [
          ...known(limits, more),
          workspace('team-b', {
            rateLimits: [{ type: 'requests', unit: 'rpd', value: 3 }],
            sidecarIdentity: { namespace: 'apps-of-b', scopes: ['completions.write'] },
          }),
          issuer(CLUSTER, {
            ...{ type: 'cluster', jwks: [signer.jwk], audiences: ['gatehouse.dev/gateway'] },
            ...{ maxLifetimeSeconds: 3600, scopes: [] },
          }),
          provider('shared', { workspace: null, grants: [TEAM], customHost: `${url}/v1`, secret: 'sk-organisation' }),
        ],
      }),
    startSidecar: async ({ pod, url, limits, more = [], policy = 'open', records, env = {} }) => {
      const file = join(mkdtempSync(join(folder, 'pod-')), 'token');
      writeFileSync(file, await tokenOf(pod));
      return startGateway({
        env: {
          GATEHOUSE_SNAPSHOT_SOURCE: 'sidecar',
          GATEHOUSE_SIDECAR_PROFILE: 'app',
          GATEHOUSE_FLEET_TOKEN_FILE: file,
          GATEHOUSE_FLEET_COUNTERS_TIMEOUT_MS: PATIENT_MS,
          GATEHOUSE_STORE_FAILURE_POLICY: policy,
          ...env,
        },
        entries: [
          ...known(limits, more),
          sidecar('app', url === undefined ? {} : { fleet: { url, ca: LOOPBACK_PEM, records } }),
          provider('local', { customHost: `${beside.mock.url}/v1`, secret: 'sk-local' }),
          fleetProvider('shared'),
        ],
      });
    },
    [Symbol.asyncDispose]: async () => {
      await beside[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

/** As an application does whose SDK was given the placeholder. */
export const askSidecar = ({ url }: Pick<RunningGateway, 'url'>, model = '@local/mock-small'): Promise<Received> =>
  send(`${url}/v1/chat/completions`, {
    headers: { authorization: 'Bearer provided-by-gatehouse' },
    body: { model, messages: [{ role: 'user', content: 'hi' }] },
  });

/** How often each status is answered when every sidecar is asked so many times at once. */
export async function statusesOf(
  sidecars: readonly RunningGateway[],
  each: number,
): Promise<ReadonlyMap<number, number>> {
  const answers = await Promise.all(
    sidecars.flatMap((gateway) => Array.from({ length: each }, () => askSidecar(gateway))),
  );
  const statuses = Map.groupBy(answers, ({ status }) => status);
  return new Map([...statuses].map(([status, list]) => [status, list.length]));
}
