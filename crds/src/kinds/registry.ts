import type { z } from 'zod';
import { apiKey } from './api-key.ts';
import { gatewayConfig } from './gateway-config.ts';
import { gatewayFleet } from './gateway-fleet.ts';
import { guardrail } from './guardrail.ts';
import { integration } from './integration.ts';
import { integrationAccess } from './integration-access.ts';
import { mcpIntegration } from './mcp-integration.ts';
import { mcpServer } from './mcp-server.ts';
import { modelPricing } from './model-pricing.ts';
import { organisation } from './organisation.ts';
import type { AnyKind, Resource } from './parts/index.ts';
import { prompt } from './prompt.ts';
import { promptCollection } from './prompt-collection.ts';
import { promptLabel } from './prompt-label.ts';
import { promptPartial } from './prompt-partial.ts';
import { promptPartialVersion } from './prompt-partial-version.ts';
import { promptVersion } from './prompt-version.ts';
import { provider } from './provider.ts';
import { rateLimitPolicy } from './rate-limit-policy.ts';
import { scimMapping } from './scim-mapping.ts';
import { secretReference } from './secret-reference.ts';
import { sidecarProfile } from './sidecar-profile.ts';
import { usageLimitPolicy } from './usage-limit-policy.ts';
import { virtualKey } from './virtual-key.ts';
import { workspace } from './workspace.ts';
import { workspaceMember } from './workspace-member.ts';

/** Every Kind of the group by its name. */
export const KINDS = {
  Organisation: organisation,
  Workspace: workspace,
  ApiKey: apiKey,
  VirtualKey: virtualKey,
  Provider: provider,
  Integration: integration,
  IntegrationAccess: integrationAccess,
  GatewayConfig: gatewayConfig,
  Guardrail: guardrail,
  RateLimitPolicy: rateLimitPolicy,
  UsageLimitPolicy: usageLimitPolicy,
  PromptCollection: promptCollection,
  PromptLabel: promptLabel,
  PromptPartial: promptPartial,
  PromptPartialVersion: promptPartialVersion,
  Prompt: prompt,
  PromptVersion: promptVersion,
  McpIntegration: mcpIntegration,
  McpServer: mcpServer,
  ModelPricing: modelPricing,
  SecretReference: secretReference,
  GatewayFleet: gatewayFleet,
  SidecarProfile: sidecarProfile,
  WorkspaceMember: workspaceMember,
  ScimMapping: scimMapping,
} as const satisfies Record<string, AnyKind>;

export type KindName = keyof typeof KINDS;

export type SpecOf<K extends KindName> = z.output<(typeof KINDS)[K]['spec']>;
export type StatusOf<K extends KindName> = z.output<(typeof KINDS)[K]['status']>;

/** A whole object of the Kind, with all defaults filled in; a union where `K` is one. */
export type ResourceOf<K extends KindName> = { [P in K]: Resource<P, SpecOf<P>, StatusOf<P>> }[K];

export type AnyResource = ResourceOf<KindName>;

/** Whether a text is the name of a Kind of the group. */
export function isKindName(name: string): name is KindName {
  return Object.hasOwn(KINDS, name);
}

export type Organisation = ResourceOf<'Organisation'>;
export type Workspace = ResourceOf<'Workspace'>;
export type WorkspaceMember = ResourceOf<'WorkspaceMember'>;
export type ScimMapping = ResourceOf<'ScimMapping'>;
export type ApiKey = ResourceOf<'ApiKey'>;
export type VirtualKey = ResourceOf<'VirtualKey'>;
export type Provider = ResourceOf<'Provider'>;
export type Integration = ResourceOf<'Integration'>;
export type IntegrationAccess = ResourceOf<'IntegrationAccess'>;
export type GatewayConfig = ResourceOf<'GatewayConfig'>;
export type Guardrail = ResourceOf<'Guardrail'>;
export type RateLimitPolicy = ResourceOf<'RateLimitPolicy'>;
export type UsageLimitPolicy = ResourceOf<'UsageLimitPolicy'>;
export type PromptCollection = ResourceOf<'PromptCollection'>;
export type PromptLabel = ResourceOf<'PromptLabel'>;
export type PromptPartial = ResourceOf<'PromptPartial'>;
export type PromptPartialVersion = ResourceOf<'PromptPartialVersion'>;
export type Prompt = ResourceOf<'Prompt'>;
export type PromptVersion = ResourceOf<'PromptVersion'>;
export type McpIntegration = ResourceOf<'McpIntegration'>;
export type McpServer = ResourceOf<'McpServer'>;
export type ModelPricing = ResourceOf<'ModelPricing'>;
export type SecretReference = ResourceOf<'SecretReference'>;
export type GatewayFleet = ResourceOf<'GatewayFleet'>;
export type SidecarProfile = ResourceOf<'SidecarProfile'>;
