/** A config of Portkey: the grammar of our own inline configs, with slugs of an account that is elsewhere. */
import { formatPath, type Issue, isObject } from '@gatehouse/crds';
import { type KindConfig, parseInlineConfig, type RoutingNode } from '@gatehouse/crds/config';
import { API_VERSION, parseResource } from '@gatehouse/crds/kinds';
import { PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { type Collected, createCollected, type Imported } from './collected.ts';

type Path = Issue['path'];

/** Each round takes one member away. */
const MAX_ROUNDS = 500;
const NO_CAPS = {
  rootTargets: Number.POSITIVE_INFINITY,
  conditionalRootTargets: Number.POSITIVE_INFINITY,
  nestedTargets: Number.POSITIVE_INFINITY,
};

/** Members that name objects whose content is not in the file. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  prompt_id: 'the prompt is not in the file',
  promptId: 'the prompt is not in the file',
};
const GUARDRAILS = ['input_guardrails', 'output_guardrails', 'input_mutators', 'output_mutators'];

/** Undefined: nothing of it can be mapped; the report says why. */
export function importPortkey(given: Readonly<Record<string, unknown>>, name: string): Imported {
  const collected = createCollected();
  const input = structuredClone(given) as Record<string, unknown>; // a document is JSON
  takeElsewhere(input, [], collected);
  const node = parseRest(input, collected);
  if (node === undefined) return collected.done();
  const own = collected.nameFor(name);
  const config = toKind(node, { collected, accounts: new Map(), name: own, path: [] });
  const spec = withoutProblems(own, { config }, collected);
  if (spec !== undefined) collected.add('GatewayConfig', own, spec);
  return collected.done();
}

function takeElsewhere(node: Record<string, unknown>, path: Path, collected: Collected): void {
  for (const [member, reason] of Object.entries(ELSEWHERE)) {
    if (node[member] === undefined) continue;
    collected.skip(formatPath([...path, member]), reason);
    delete node[member];
  }
  for (const member of GUARDRAILS) takeSlugs(node, member, { path: [...path, member], collected });
  const { targets } = node;
  for (const [i, target] of (Array.isArray(targets) ? targets : []).entries()) {
    if (isObject(target)) takeElsewhere(target, [...path, 'targets', i], collected);
  }
}

/** A guardrail that is written out stays. */
function takeSlugs(
  node: Record<string, unknown>,
  member: string,
  { path, collected }: { readonly path: Path; readonly collected: Collected },
): void {
  const list = node[member];
  const slugs = Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  if (!Array.isArray(list) || slugs.length === 0) return;
  collected.skip(formatPath(path), `the content of ${slugs.join(', ')} is not in the file`);
  const kept = list.filter((one) => typeof one !== 'string');
  if (kept.length === 0) delete node[member];
  else node[member] = kept;
}

/** Takes members away that are not valid, and reports them. */
function parseRest(input: Record<string, unknown>, collected: Collected): RoutingNode | undefined {
  const seen = new Set<string>();
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const parsed = parseInlineConfig(input, { caps: NO_CAPS, saved: true });
    if (parsed.ok) return parsed.value;
    const [issue] = parsed.error;
    if (issue === undefined) return undefined;
    const path = formatPath(issue.path);
    // A required member that was taken away takes what it is in with it: the first reason is the cause.
    if (!seen.has(path)) collected.skip(path, issue.message);
    seen.add(path);
    if (!remove(input, issue.path)) return undefined;
  }
  return undefined;
}

/** Takes the deepest member of the path away that is there; false: there is none. */
function remove(root: unknown, path: Path): boolean {
  let last: (() => void) | undefined;
  let node = root;
  for (const step of path) {
    const holder = node;
    if (Array.isArray(holder) && typeof step === 'number' && step < holder.length) {
      last = () => holder.splice(step, 1);
      node = holder[step];
    } else if (isObject(holder)) {
      const key = [String(step), toCamelKey(String(step))].find((one) => Object.hasOwn(holder, one));
      if (key === undefined) break;
      last = () => {
        delete holder[key];
      };
      node = holder[key];
    } else break;
  }
  last?.();
  return last !== undefined;
}

const toCamelKey = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

interface Context {
  readonly collected: Collected;
  /** Names of VirtualKeys by the slugs of the file. */
  readonly accounts: Map<string, string>;
  readonly name: string;
  readonly path: Path;
}

function toKind({ apiKey, credential: _, virtualKey, targets, ...rest }: RoutingNode, context: Context): KindConfig {
  const { collected, name, path } = context;
  const nodes = targets?.map((target, i) => toKind(target, { ...context, path: [...path, 'targets', i] }));
  const key = [...path, 'api-key'].join('.');
  return {
    ...rest,
    ...(virtualKey === undefined ? {} : { provider: `@${accountFor(virtualKey, context)}` }),
    ...(apiKey === undefined ? {} : { secretRef: collected.credential(name, key, apiKey) }),
    ...(nodes === undefined ? {} : { targets: nodes }),
  };
}

/** The provider of a virtual key is not in the file: its slug often begins with it. */
function accountFor(slug: string, { accounts, collected, path }: Context): string {
  const known = accounts.get(slug);
  if (known !== undefined) return known;
  const name = collected.nameFor(slug);
  accounts.set(slug, name);
  const found = [...PROVIDER_CATALOGUE.keys()]
    .toSorted((a, b) => b.length - a.length)
    .find((id) => slug.toLowerCase().startsWith(id));
  const guessed = found === undefined ? 'openai is written, correct it' : `${found} is read from its slug, check it`;
  collected.skip(formatPath([...path, 'virtual_key']), `the provider of ${slug} is not in the file: ${guessed}`);
  collected.add('VirtualKey', name, {
    ...(name === slug ? {} : { displayName: slug }),
    provider: found ?? 'openai',
    secretRef: collected.credential(name, 'api-key', undefined),
  });
  return name;
}

/** Fields that a provider does not have are found by the check of the Kind. */
function withoutProblems(
  name: string,
  spec: { readonly config: KindConfig },
  collected: Collected,
): object | undefined {
  const draft = structuredClone(spec);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const parsed = parseResource('GatewayConfig', {
      apiVersion: API_VERSION,
      kind: 'GatewayConfig',
      metadata: { name },
      spec: draft,
    });
    if (parsed.ok) return draft;
    const [issue] = parsed.error;
    if (issue === undefined) return undefined;
    collected.skip(formatPath(issue.path.slice(2)), issue.message);
    if (!remove(draft, issue.path.slice(1))) return undefined;
  }
  return undefined;
}
