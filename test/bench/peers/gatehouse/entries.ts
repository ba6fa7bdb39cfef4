/** Snapshots for the bench. */
import { createHash } from 'node:crypto';
import { type AnyEntry, digestOf, type EntryBody, type EntryKind, entryId } from '@gatehouse/crds/snapshot';
import { type Guardrails, guardrailOf } from './guardrails.ts';

export interface Contents {
  /** Base URL of the upstream, with its version segment. */
  readonly upstream: string;
  /** Keys `keySecret(1)` and so on, each with a request limit that nothing reaches. */
  readonly keys: number;
  /** Further providers, with a credential each. */
  readonly providers: number;
  readonly configs: number;
  /** What is on beside them; nothing when absent. */
  readonly features?: Features | undefined;
}

/**
 * `limits`: limits and budgets of every owner and policies of both kinds, which nothing reaches. `unlimited`: keys have no limit, either.
 * Others: guardrails of the organisation, which nothing fails.
 */
export type Features = 'limits' | 'unlimited' | Guardrails;

const WORKSPACE = 'bench';
const UNREACHABLE_LIMIT = 1_000_000_000;
const UNREACHABLE_NANO_DOLLARS = 1_000_000_000_000_000;

/** Of one owner: requests and tokens per minute and day, and a budget of each type. */
const LIMITS = {
  rateLimits: (['rpm', 'rpd'] as const).flatMap((unit) =>
    (['requests', 'tokens'] as const).map((type) => ({ type, unit, value: UNREACHABLE_LIMIT })),
  ),
  usageLimits: [
    { name: 'cost', type: 'cost', limit: UNREACHABLE_NANO_DOLLARS, reset: { period: 'monthly' } },
    { name: 'tokens', type: 'tokens', limit: UNREACHABLE_LIMIT },
    { name: 'requests', type: 'requests', limit: UNREACHABLE_LIMIT },
  ],
} satisfies Pick<EntryBody<'workspace'>, 'rateLimits' | 'usageLimits'>;

const SELECTION = { conditions: [{ key: 'model', values: ['*'] }], groupBy: [{ key: 'api_key' }] };

/** The gateway key of that number. */
export const keySecret = (number: number | string): string => `gwk_${NOISE}${number}`;

/** As keys are: what looks for them in texts finds no word of the bench. */
const NOISE = 'Jq7Zt4Vx0Lr9Kd2Ws5Yh8Nb3Mc6Pf1Tg4Rk7Qz0';

/** The entries of a Snapshot: organisation, one workspace, a SidecarProfile, the provider `@openai`, and the entries of the options. */
export function* benchEntries({ upstream, keys, providers, configs, features }: Contents): Generator<AnyEntry> {
  const limits = features === 'limits' ? LIMITS : {};
  const guardrail = guardrailOf(features);
  const slugs = guardrail === undefined ? [] : [guardrail.slug];
  const hooks = { inputGuardrails: slugs, outputGuardrails: slugs };
  yield entry('organisation', null, 'default', { savedConfigsOnly: false, headersToMask: [], ...hooks });
  if (guardrail !== undefined) yield entry('guardrail', null, guardrail.slug, guardrail);
  yield entry('workspace', WORKSPACE, WORKSPACE, { savedConfigsOnly: false, defaults: {}, ...limits });
  yield entry('sidecar', WORKSPACE, WORKSPACE, {
    name: WORKSPACE,
    workspace: WORKSPACE,
    scopes: ['completions.write'],
    defaults: { allowConfigOverride: true },
  });
  for (const slug of ['openai', ...numbered('provider', providers)]) yield* providerEntries(slug, { upstream, limits });
  for (const slug of numbered('config', configs)) yield entry('config', WORKSPACE, slug, configBody(slug));
  if (features === 'limits') {
    const [rate] = LIMITS.rateLimits;
    const [usage] = LIMITS.usageLimits;
    yield entry('policy', WORKSPACE, 'rate', { name: 'rate', ...SELECTION, rate });
    yield entry('policy', WORKSPACE, 'usage', { name: 'usage', ...SELECTION, usage });
  }
  for (let number = 1; number <= keys; number += 1) {
    yield entry('key', WORKSPACE, `key-${number}`, {
      name: `key-${number}`,
      sha256: [createHash('sha256').update(keySecret(number)).digest('hex')],
      scopes: ['completions.write'],
      defaults: { allowConfigOverride: true },
      rateLimits: features === 'unlimited' ? [] : [{ type: 'requests', unit: 'rpm', value: UNREACHABLE_LIMIT }],
      ...limits,
    });
  }
}

interface Account {
  readonly upstream: string;
  readonly limits: Partial<typeof LIMITS>;
}

function* providerEntries(slug: string, { upstream, limits }: Account): Generator<AnyEntry> {
  const credential = entry('credential', WORKSPACE, slug, { fields: { api_key: `sk-${NOISE}${slug}` } });
  yield credential;
  yield entry('provider', WORKSPACE, slug, {
    slug,
    provider: 'openai',
    credential: credential.id,
    settings: {},
    customHost: upstream,
    headers: {},
    deployments: [],
    ...limits,
  });
}

const configBody = (slug: string): EntryBody<'config'> => ({
  slug,
  version: '1',
  node: { strategy: { mode: 'fallback' }, retry: { attempts: 2 }, targets: [{ provider: '@openai' }, { provider: '@openai' }] },
});

const numbered = (name: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${name}-${i + 1}`);

function entry<K extends EntryKind>(kind: K, workspace: string | null, name: string, body: EntryBody<K>): AnyEntry {
  const id = entryId(kind, workspace, name);
  return { kind, id, workspace, generation: 1, digest: digestOf(body), body } as AnyEntry; // kind and body belong together
}
