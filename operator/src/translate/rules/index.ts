/** The rules by Kind, in the order of translation: Integrations before the Providers and Guardrails that refer to them. */
import type { Issue } from '@gatehouse/crds';
import { isKindName, KINDS, type KindName, type ResourceOf } from '@gatehouse/crds/kinds';
import type { KindRule, ObjectScope, RuleResult } from '../types/index.ts';
import { apiKey } from './api-key.ts';
import { gatewayConfig } from './gateway-config.ts';
import { guardrail } from './guardrail.ts';
import { integration } from './integration.ts';
import { integrationAccess } from './integration-access.ts';
import { mcpIntegration } from './mcp-integration.ts';
import { mcpServer } from './mcp-server.ts';
import { modelPricing } from './model-pricing.ts';
import { organisation } from './organisation.ts';
import { prompt } from './prompt.ts';
import { promptCollection } from './prompt-collection.ts';
import { promptPartial } from './prompt-partial.ts';
import { promptPartialVersion } from './prompt-partial-version.ts';
import { promptVersion } from './prompt-version.ts';
import { provider } from './provider.ts';
import { rateLimitPolicy } from './rate-limit-policy.ts';
import { scimMapping } from './scim-mapping.ts';
import { secretReference } from './secret-reference.ts';
import { type HostRules, hostIssues } from './shared/index.ts';
import { sidecarProfile } from './sidecar-profile.ts';
import { usageLimitPolicy } from './usage-limit-policy.ts';
import { virtualKey } from './virtual-key.ts';
import { workspace } from './workspace.ts';
import { workspaceMember } from './workspace-member.ts';

const RULES = [
  organisation,
  workspace,
  modelPricing,
  secretReference,
  integration,
  integrationAccess,
  virtualKey,
  provider,
  guardrail,
  promptPartial,
  promptPartialVersion,
  prompt,
  promptVersion,
  promptCollection,
  mcpIntegration,
  mcpServer,
  gatewayConfig,
  workspaceMember,
  scimMapping,
  apiKey,
  rateLimitPolicy,
  usageLimitPolicy,
  sidecarProfile,
] as const;

type AnyRule = KindRule<KindName>;

const BY_KIND: ReadonlyMap<KindName, AnyRule> = new Map(
  // A rule is only ever given resources of its own Kind.
  RULES.map((translator) => [translator.kind, translator as unknown as AnyRule] as const),
);

/** Every Kind in the order of translation; Kinds without a rule come last and have no entries. */
export const KIND_ORDER: readonly KindName[] = [
  ...new Set([...BY_KIND.keys(), ...Object.keys(KINDS).filter(isKindName)]),
];

/** What this version cannot serve of a valid resource, and what the installation does not allow. */
export function checksOf(kind: KindName, resource: ResourceOf<KindName>, rules: HostRules): Issue[] {
  return [...(BY_KIND.get(kind)?.check?.(resource) ?? []), ...hostIssues(resource, rules)];
}

/** Makes the entries of a resource; undefined for Kinds that have none. */
export function ruleOf(
  kind: KindName,
):
  | ((resource: ResourceOf<KindName>, scope: ObjectScope, view: Parameters<AnyRule['translate']>[2]) => RuleResult)
  | undefined {
  return BY_KIND.get(kind)?.translate;
}
