/** The config of a request: from its header, else the key's default, else the workspace's; docs/behaviour/routing.md. */
import { hash } from 'node:crypto';
import { formatPath, type Issue, isObject } from '@gatehouse/crds';
import { parseInlineConfig, type RoutingNode, type TargetCaps, walkTargets } from '@gatehouse/crds/config';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../errors/index.ts';
import { HEADER_JSON_LIMITS, RepeatedNameError, readJson } from '../../lib/json/index.ts';
import { compilePlan, HooksUnusable, type RoutingPlan } from '../../routing/index.ts';
import type { NamedBy, SnapshotView } from '../../snapshot/index.ts';
import { checkCustomHost, type HostPolicy } from '../../upstream/host-guard/index.ts';
import type { Caller, ClientRequest } from '../exchange.ts';
import { nameSuggestion } from './suggest.ts';

export interface ConfigResolver {
  /** The plan of the request; undefined when it names no config and has no default. Throws CONFIG_* errors. */
  resolve(request: ClientRequest, caller: Caller, snapshot: SnapshotView): RoutingPlan | undefined;
}

/** Most compiled inline configs that are kept, and their size in bytes: texts and compiled patterns. */
const MAX_INLINE_PLANS = 1_000;
const MAX_INLINE_BYTES = 32 * 1024 * 1024;
/** A plan takes several times the memory of its text. */
const BYTES_PER_CHARACTER = 8;

export interface ConfigRules {
  readonly caps: TargetCaps;
  readonly hosts: HostPolicy;
}

/** Resolves slugs in the Snapshot and compiles inline configs once per text. */
export function createConfigResolver(rules: ConfigRules): ConfigResolver {
  const inline = new LRUCache<string, RoutingPlan>({ max: MAX_INLINE_PLANS, maxSize: MAX_INLINE_BYTES });

  const compileInline = (text: string): RoutingPlan => {
    const key = hash('sha256', text, 'base64');
    const known = inline.get(key);
    if (known !== undefined) return known;
    const plan = parseInline(text, rules);
    inline.set(key, plan, { size: text.length * BYTES_PER_CHARACTER + plan.patternBytes });
    return plan;
  };

  return {
    resolve: (request, caller, snapshot) => {
      const header = request.header('x-gw-config')?.trim();
      const { config, allowConfigOverride } = caller.key.defaults;
      if (header !== undefined && config !== undefined && !allowConfigOverride) {
        throw new AppError('CONFIG_LOCKED', { param: 'x-gw-config' });
      }
      const asked = header ?? config ?? defaultOfSidecar(request);
      const slug = asked ?? caller.workspace.defaults.config;
      if (slug === undefined || slug === '') return undefined;
      if (slug.startsWith('{')) return compileInline(slug);
      // Workspaces are written by the organisation, and so are their defaults.
      const namedBy = asked === undefined || caller.key.workspace === null ? 'organisation' : 'workspace';
      return savedPlan(slug, { caller, snapshot, namedBy });
    },
  };
}

/** The default config of the SidecarProfile through whose sidecar the request has come: a slug. */
const defaultOfSidecar = (request: ClientRequest): string | undefined => {
  const slug = request.header('x-gw-default-config')?.trim();
  return slug?.startsWith('{') ? undefined : slug;
};

interface Naming {
  readonly caller: Caller;
  readonly snapshot: SnapshotView;
  readonly namedBy: NamedBy;
}

function savedPlan(slug: string, { caller: { workspace }, snapshot, namedBy }: Naming): RoutingPlan {
  const saved = snapshot.config(workspace.name, slug, namedBy);
  if (saved !== undefined) return saved.plan;
  throw new AppError('CONFIG_UNKNOWN', {
    param: 'x-gw-config',
    detail: `Invalid config id passed: no config ${slug} in the workspace ${workspace.name}${nameSuggestion(slug, snapshot.configSlugs(workspace.name, namedBy))}`,
  });
}

function parseInline(text: string, { caps, hosts }: ConfigRules): RoutingPlan {
  const value = parseJson(text);
  if (isObject(value) && 'options' in value && !('targets' in value)) {
    throw new AppError('CONFIG_LEGACY', { param: 'x-gw-config' });
  }
  const parsed = parseInlineConfig(value, { caps, saved: false });
  const issues = parsed.ok ? hostIssues(parsed.value, hosts) : parsed.error;
  if (parsed.ok && issues.length === 0) {
    return compiledInline(parsed.value);
  }
  throw invalidConfig(issues);
}

function compiledInline(node: RoutingNode): RoutingPlan {
  try {
    return compilePlan(node, { saved: undefined, credential: () => undefined });
  } catch (error) {
    if (!(error instanceof HooksUnusable)) throw error;
    throw new AppError('CONFIG_INVALID', {
      param: 'x-gw-config',
      detail: `Invalid config passed: ${error.message}`,
      cause: error,
    });
  }
}

/** All problems, the first of which is named in the message: most clients show nothing else. */
function invalidConfig(issues: readonly Issue[]): AppError {
  const unsupported = issues.find(({ code }) => code === 'unsupported');
  const named = unsupported ?? issues[0];
  const problem = named === undefined ? undefined : sentenceOf(named);
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return new AppError(unsupported === undefined ? 'CONFIG_INVALID' : 'FEATURE_UNSUPPORTED', {
    param: formatPath(['x-gw-config', ...(issues[0]?.path ?? [])]),
    issues,
    ...(problem === undefined ? {} : { detail: unsupported ? problem : `Invalid config passed: ${problem}${more}` }),
  });
}

const sentenceOf = ({ path, message }: Issue): string =>
  path.length === 0 ? message : `${formatPath(path)}: ${message}`;

/** Addresses inside an inline config obey the rules of the custom-host header; docs/behaviour/hosts.md. */
function hostIssues(root: RoutingNode, hosts: HostPolicy): Issue[] {
  const issues: Issue[] = [];
  const check = (url: string | undefined, path: readonly (string | number)[]): void => {
    const checked = url === undefined ? undefined : checkCustomHost(url, hosts, 'request');
    if (checked !== undefined && !checked.ok) issues.push({ code: 'invalid', path, message: checked.error });
  };
  walkTargets(root, [], (node, path) => {
    check(node.customHost, [...path, 'custom_host']);
    const fields = PROVIDER_CATALOGUE.get(node.provider ?? '')?.fields ?? [];
    for (const { key, url } of fields) if (url) check(node.settings?.[key], [...path, key]);
  });
  return issues;
}

function parseJson(text: string): unknown {
  try {
    return readJson(text, HEADER_JSON_LIMITS, { repeated: false });
  } catch (error) {
    const repeated = 'An object in the config has two members of the same name; keep one of them';
    if (error instanceof RepeatedNameError) {
      throw new AppError('CONFIG_NOT_JSON', { param: 'x-gw-config', detail: repeated });
    }
    throw new AppError('CONFIG_NOT_JSON', {
      param: 'x-gw-config',
      detail: `The config is not valid JSON${placeOf(error)}; a value of x-gw-config that begins with { is read as JSON, anything else as the slug of a saved config`,
    });
  }
}

/** Where the parser stopped. The rest of its message quotes the text, which may hold a credential. */
function placeOf(error: unknown): string {
  if (error instanceof RangeError) return ', or is nested too deep or has too many values for a config';
  const { message } = error instanceof SyntaxError ? error : { message: '' };
  if (message.startsWith('Unexpected end')) return ', it ends too early';
  const position = / at position (\d{1,9})/.exec(message)?.[1];
  return position === undefined ? '' : ` at position ${position}`;
}
