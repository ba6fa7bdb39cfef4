import type { Issue } from '@gatehouse/crds';
import {
  type KindConfig,
  managedSlugOf,
  modelSlugOf,
  type RoutingNode,
  routingNodeOf,
  type SecretRef,
  walkTargets,
} from '@gatehouse/crds/config';
import type { GatewayConfig } from '@gatehouse/crds/kinds';
import { parsePromptReference } from '@gatehouse/crds/prompts';
import { nodeUsesPodIdentity, PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { digestOf, entryId } from '@gatehouse/crds/snapshot';
import { credentialName } from '../incremental/index.ts';
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
import {
  foreignSecret,
  givenFields,
  guardrailRefs,
  homesOf,
  isManagedSlug,
  namedInConfig,
  reachOf,
  readCredential,
  type SecretFields,
} from './shared/index.ts';

type Path = readonly (string | number)[];
const ROOT = ['spec', 'config'];

export const gatewayConfig = defineRule({
  kind: 'GatewayConfig',
  check: ({ spec }) => unusedCredentials(spec.config, ROOT),
  translate(resource, scope, view) {
    const slug = resource.metadata.name;
    const { node, credentials, findings } = readConfig(resource, scope, view);
    const guardrails = guardrailRefs(namedInConfig(node, ROOT), homesOf(scope), view);
    const { reach, findings: astray } = reachOf(resource, scope, view);
    const body = { slug, version: digestOf(node), node, ...(reach === undefined ? {} : { reach }) };
    return {
      entries: [
        ...[...credentials].map(([name, fields]) => ({
          kind: 'credential' as const,
          workspace: scope.workspace,
          name,
          body: { fields },
        })),
        { kind: 'config', workspace: scope.workspace, name: slug, body },
      ],
      findings: [
        ...findings,
        ...astray,
        ...identityRequests(resource.spec.config, ROOT, scope),
        ...unknownSlugs(node, scope, view),
        ...unknownPrompts(node, scope, view),
        // Names in a config of the organisation are looked up in the workspace of each caller.
        ...(scope.workspace === null ? [] : guardrails.findings),
      ],
      uses: guardrails.uses,
    };
  },
});

/** A credential is sent by a target that names its provider; anywhere else it would be ignored. */
function unusedCredentials(config: KindConfig, path: Path): Issue[] {
  const { secretRef, provider, targets = [] } = config;
  const below = targets.flatMap((target, i) => unusedCredentials(target, [...path, 'targets', i]));
  if (secretRef === undefined || isLiteral(provider, config)) return below;
  const message = 'a credential stands beside the provider it is for; managed providers bring their own';
  return [{ code: 'invalid', path: [...path, 'secretRef'], message }, ...below];
}

const isLiteral = (provider: string | undefined, config: KindConfig): boolean =>
  provider !== undefined &&
  config.targets === undefined &&
  config.passthrough !== true &&
  managedSlugOf(routingNodeOf({ ...config, targets: undefined }, String)) === undefined;

/**
 * A target of a workspace that names its provider itself is not an account, and the identity of the gateway's pods is granted
 * to accounts only.
 */
function identityRequests(config: KindConfig, path: Path, scope: ObjectScope): Finding[] {
  if (scope.workspace === null) return [];
  const { provider, settings, secretRef, targets = [] } = config;
  const below = targets.flatMap((target, i) => identityRequests(target, [...path, 'targets', i], scope));
  const hasCredential = secretRef !== undefined && secretRef.key === undefined;
  if (!nodeUsesPodIdentity({ provider, settings, hasCredential })) return below;
  const message =
    "a target of a workspace does not get the identity of the gateway's pods; put the account into a VirtualKey and name that";
  return [identityNotGranted([...path, 'settings'], message), ...below];
}

interface ReadConfig {
  readonly node: RoutingNode;
  /** Fields by the name of their entry. */
  readonly credentials: ReadonlyMap<string, SecretFields>;
  readonly findings: readonly Finding[];
}

function readConfig(
  { metadata, spec }: GatewayConfig,
  { namespace, workspace }: ObjectScope,
  view: Lookups,
): ReadConfig {
  const credentials = new Map<string, SecretFields>();
  const findings: Finding[] = [];
  const node = routingNodeOf(spec.config, (ref, path) => {
    const target = at(spec.config, path);
    const name = nameOfCredential({ config: metadata.name, namespace, ref, target });
    const fields = readCredential(view, {
      kind: 'GatewayConfig',
      namespace,
      ref,
      provider: PROVIDER_CATALOGUE.get(target.provider ?? ''),
      given: givenFields(target),
      optional: target.customHost !== undefined || (target.forwardHeaders?.length ?? 0) > 0,
      path: [...ROOT, ...path, 'secretRef'],
    });
    if (fields.ok) credentials.set(name, fields.value);
    else findings.push(fields.error);
    return entryId('credential', workspace, name);
  });
  return { node, credentials, findings };
}

interface CredentialSlot {
  readonly config: string;
  readonly namespace: string;
  readonly ref: SecretRef;
  readonly target: KindConfig;
}

/** Targets with the same reference share an entry; what a whole Secret holds depends on the provider. */
function nameOfCredential({ config, namespace, ref, target: { provider = '' } }: CredentialSlot): string {
  const parts = ['GatewayConfig', config, ref.name, ...(ref.key === undefined ? ['', provider] : [ref.key])];
  return credentialName(parts, foreignSecret(ref, namespace));
}

/** The target at a path of the form `targets, 0, targets, 1`. */
function at(config: KindConfig, path: Path): KindConfig {
  return path.reduce<KindConfig>(
    (node, step) => (typeof step === 'number' ? (node.targets?.[step] ?? node) : node),
    config,
  );
}

/**
 * Managed providers that a workspace's config names and does not have; a config of the organisation is resolved in the
 * workspace of each caller. The gateway resolves slugs with every request, so that a missing one does not keep the config from
 * being served.
 */
function unknownSlugs(root: RoutingNode, scope: ObjectScope, view: Lookups): Finding[] {
  const findings: Finding[] = [];
  const { workspace } = scope;
  if (workspace === null) return findings;
  const look = (slug: string | undefined, path: Path, field: Path): void => {
    if (slug === undefined || isManagedSlug(slug, workspace, scope, view)) return;
    const written = field[0] === 'virtualKey' ? slug : `@${slug}`;
    const message = `the provider ${written} does not exist or is not granted to the workspace`;
    const refersTo = [scope.namespace, scope.settings.organisationNamespace].flatMap((home) => [
      verdictKey('VirtualKey', objectKey(home, slug)),
      verdictKey('Provider', objectKey(home, slug)),
    ]);
    findings.push(notPermitted([...ROOT, ...path, ...field], message, 'serve', refersTo));
  };
  walkTargets(root, [], (node, path) => {
    look(managedSlugOf(node), path, slugField(node));
    look(modelSlugOf(node.cache?.embeddingModel ?? ''), path, ['cache', 'embeddingModel']);
  });
  return findings;
}

/** Saved prompts that a workspace's config names and that do not exist: the gateway refuses its calls. */
function unknownPrompts(root: RoutingNode, scope: ObjectScope, view: Lookups): Finding[] {
  const findings: Finding[] = [];
  if (scope.workspace === null) return findings;
  walkTargets(root, [], ({ promptId }, path) => {
    const parsed = promptId === undefined ? undefined : parsePromptReference(promptId);
    if (parsed === undefined) return;
    const slug = parsed.ok ? parsed.value.slug : (promptId ?? '');
    if (homesOf(scope).some((home) => view.exists('Prompt', home, slug))) return;
    const refersTo = homesOf(scope).map((home) => verdictKey('Prompt', objectKey(home, slug)));
    findings.push(
      missing(
        [...ROOT, ...path, 'promptId'],
        `the Prompt ${slug} does not exist: calls are refused`,
        'serve',
        refersTo,
      ),
    );
  });
  return findings;
}

/** The member that names the slug, in the order of `managedSlugOf`. */
function slugField({ provider, virtualKey }: RoutingNode): Path {
  if (provider?.startsWith('@')) return ['provider'];
  return virtualKey === undefined ? ['overrideParams', 'model'] : ['virtualKey'];
}
