/** Snapshot entries written the way a test reads: one call per object, everything else at its default. */
import { createHash } from 'node:crypto';
import { DEFAULT_TARGET_CAPS, parseInlineConfig, type RoutingNode } from '@gatehouse/crds/config';
import {
  type AnyEntry,
  digestOf,
  type EntryBody,
  type EntryKind,
  entryId,
  SCHEMA_VERSION,
  type Snapshot,
  type SnapshotEntry,
} from '@gatehouse/crds/snapshot';

export const TEAM = 'team-a';
/** The secret of `key()` when none is given. */
export const KEY = 'gwk_test_0123456789abcdef0123456789abcdef';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

interface Place {
  /** Null: the organisation. */
  readonly workspace?: string | null;
}

function toEntry<K extends EntryKind>(kind: K, name: string, workspace: string | null, body: EntryBody<K>): AnyEntry {
  const entry: SnapshotEntry<K> = {
    kind,
    id: entryId(kind, workspace, name),
    workspace,
    generation: 1,
    digest: digestOf(body),
    body,
  };
  return entry as unknown as AnyEntry; // the kind and its body belong together
}

export function organisation(body: Partial<EntryBody<'organisation'>> = {}): AnyEntry {
  return toEntry('organisation', 'default', null, { savedConfigsOnly: false, headersToMask: [], ...body });
}

export function workspace(name: string = TEAM, body: Partial<EntryBody<'workspace'>> = {}): AnyEntry {
  return toEntry('workspace', name, name, { savedConfigsOnly: false, defaults: {}, ...body });
}

export interface KeyOptions extends Place {
  readonly name?: string;
  readonly secret?: string;
  readonly scopes?: readonly string[];
  readonly config?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly allowConfigOverride?: boolean;
  readonly rateLimits?: EntryBody<'key'>['rateLimits'];
  readonly usageLimits?: EntryBody<'key'>['usageLimits'];
  readonly expiresAt?: string;
  readonly previous?: EntryBody<'key'>['previous'];
  readonly user?: string;
  readonly headersToMask?: readonly string[];
}

export function key(options: KeyOptions = {}): AnyEntry {
  const { workspace: owner = TEAM, name = 'main', secret = KEY, scopes = ['completions.write'] } = options;
  const {
    config,
    metadata,
    allowConfigOverride = true,
    rateLimits = [],
    usageLimits,
    expiresAt,
    previous,
    user,
    headersToMask,
  } = options;
  return toEntry('key', name, owner, {
    name,
    sha256: [sha256(secret)],
    scopes: [...scopes],
    defaults: {
      allowConfigOverride,
      ...(config === undefined ? {} : { config }),
      ...(metadata === undefined ? {} : { metadata: { ...metadata } }),
    },
    rateLimits,
    ...(usageLimits === undefined ? {} : { usageLimits }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(previous === undefined ? {} : { previous }),
    ...(user === undefined ? {} : { user }),
    ...(headersToMask === undefined ? {} : { headersToMask: [...headersToMask] }),
  });
}

/** An issuer whose tokens are for the audience `gateway`. */
export function issuer(iss: string, body: Partial<EntryBody<'issuer'>> = {}): AnyEntry {
  return toEntry('issuer', iss, null, {
    type: 'jwt',
    issuer: iss,
    audiences: ['gateway'],
    algorithms: ['RS256'],
    clockSkewSeconds: 30,
    scopes: ['completions.write', 'models.list'],
    defaultScopes: [],
    allowLimitClaims: false,
    rateLimits: [],
    ...body,
  });
}

/** The SidecarProfile of a sidecar. */
export function sidecar(
  name: string,
  body: Partial<EntryBody<'sidecar'>> = {},
  workspaceName: string = TEAM,
): AnyEntry {
  return toEntry('sidecar', name, workspaceName, {
    name,
    workspace: workspaceName,
    scopes: ['completions.write', 'virtual_keys.list'],
    defaults: { allowConfigOverride: true },
    ...body,
  });
}

/** A managed provider of the organisation as a sidecar has it: without its credential. */
export const fleetProvider = (slug: string): AnyEntry =>
  toEntry('provider', slug, null, {
    ...{ slug, provider: 'openai', settings: {}, headers: {}, deployments: [] },
    ...{ grants: ['*'], needsFleet: true },
  });

export interface ProviderOptions extends Place, Partial<Omit<EntryBody<'provider'>, 'slug' | 'provider'>> {
  readonly provider?: string;
  /** The API key, or all secret fields. */
  readonly secret?: string | Readonly<Record<string, string>>;
  /** Secret headers by model. */
  readonly modelHeaders?: EntryBody<'credential'>['modelHeaders'];
}

/** A managed provider and its credential. */
export function provider(slug: string, options: ProviderOptions = {}): AnyEntry[] {
  const { workspace: owner = TEAM, provider: id = 'openai', secret = `sk-${slug}`, modelHeaders, ...body } = options;
  const fields = typeof secret === 'string' ? { api_key: secret } : { ...secret };
  return [
    toEntry('credential', slug, owner, { fields, ...(modelHeaders && { modelHeaders }) }),
    toEntry('provider', slug, owner, {
      settings: {},
      headers: {},
      deployments: [],
      ...body,
      slug,
      provider: id,
      credential: entryId('credential', owner, slug),
    }),
  ];
}

/** `name`: with the Kind, e.g. `RateLimitPolicy:per-user`. */
export function policy(name: string, body: Omit<EntryBody<'policy'>, 'name'>, owner: string | null = TEAM): AnyEntry {
  return toEntry('policy', name, owner, { name: name.slice(name.indexOf(':') + 1), ...body } as EntryBody<'policy'>);
}

/** The price of a model, as a ModelPricing sets it. */
export function price(model: string, body: Partial<EntryBody<'price'>> = {}): AnyEntry {
  const { provider: id = 'openai' } = body;
  return toEntry('price', `${id}-${model}`, null, { ...body, provider: id, model });
}

/** A stored guardrail that denies. */
export function guardrail(
  slug: string,
  checks: EntryBody<'guardrail'>['checks'],
  { workspace: owner = TEAM, ...body }: Place & Partial<EntryBody<'guardrail'>> = {},
): AnyEntry {
  const actions = { type: 'guardrail', deny: true, async: false, sequential: false, ...body };
  return toEntry('guardrail', slug, owner, { slug, version: digestOf({ checks, actions }), checks, ...actions });
}

/** A prompt; `published` is 1 unless the body says otherwise. */
export function prompt(slug: string, body: Partial<EntryBody<'prompt'>> = {}, owner: string | null = TEAM): AnyEntry {
  return toEntry('prompt', slug, owner, { slug, published: 1, labels: {}, ...body });
}

export function promptVersion(
  slug: string,
  version: number,
  template: EntryBody<'promptVersion'>['template'],
): AnyEntry {
  return toEntry('promptVersion', `${slug}-v${version}`, TEAM, { prompt: slug, version, template });
}

/** A partial with its versions, the first of which is its own. */
export function partial(
  slug: string,
  texts: readonly string[],
  published = 1,
  owner: string | null = TEAM,
): AnyEntry[] {
  const [first = '', ...rest] = texts;
  return [
    toEntry('partial', slug, owner, { slug, published, text: first }),
    ...rest.map((text, i) =>
      toEntry('partialVersion', `${slug}-v${i + 2}`, owner, { partial: slug, version: i + 2, text }),
    ),
  ];
}

export interface ConfigOptions extends Place {
  /** Id of the credential entry that its leaves use. */
  readonly credential?: string;
  readonly reach?: EntryBody<'config'>['reach'];
}

/** A saved config, written as clients write it (either spelling). */
export function config(slug: string, document: object, options: ConfigOptions = {}): AnyEntry {
  const { workspace: owner = TEAM, credential, reach } = options;
  const parsed = parseInlineConfig(document, { caps: DEFAULT_TARGET_CAPS, saved: true });
  if (!parsed.ok) throw new Error(`config ${slug}: ${JSON.stringify(parsed.error)}`);
  const node = credential === undefined ? parsed.value : withCredential(parsed.value, credential);
  return toEntry('config', slug, owner, { slug, version: digestOf(node).slice(0, 12), node, ...(reach && { reach }) });
}

const withCredential = ({ targets, ...node }: RoutingNode, credential: string): RoutingNode =>
  targets === undefined
    ? { ...node, credential }
    : { ...node, targets: targets.map((target) => withCredential(target, credential)) };

export type Entries = readonly (AnyEntry | readonly AnyEntry[])[];

export function snapshot(...entries: Entries): Snapshot {
  return { schemaVersion: SCHEMA_VERSION, entries: entries.flat() };
}

/** Every secret the entries hold, which must be seen nowhere but in requests to providers. */
export function secretsOf(entries: readonly AnyEntry[]): readonly string[] {
  return entries.flatMap((entry) => (entry.kind === 'credential' ? Object.values(entry.body.fields) : []));
}
