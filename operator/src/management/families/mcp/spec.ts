/** The members of an MCP integration in bodies, in resources and in answers. */
import type { ResourceOf } from '@gatehouse/crds/kinds';
import type { StoredObject } from '../../store/index.ts';
import type { Home } from '../../tenancy/index.ts';
import type { FieldNames } from '../write.ts';
import { type Configurations, showHeaders } from './headers.ts';

export const WHAT = 'MCP integration';
export const KIND = 'McpIntegration';
export const NAMES: FieldNames = {
  displayName: 'name',
  headersFrom: 'configurations.headers',
  forwardHeaders: 'configurations.forward_headers',
  allWorkspaces: 'global_workspace_access',
};

export type IntegrationObject = StoredObject<'McpIntegration'>;
export type Spec = ResourceOf<'McpIntegration'>['spec'];
export type Before = Partial<Spec>;

type Forwarded = NonNullable<Configurations>['forward_headers'];

const MODES = { allowlist: 'Allow', 'all-except': 'AllExcept' } as const;

export function toForwardHeaders(given: Forwarded): Spec['forwardHeaders'] | null {
  if (given === undefined || given === null) return given;
  if (Array.isArray(given)) return { mode: 'Allow', headers: given };
  return { mode: MODES[given.mode], headers: given.headers };
}

function showConfigurations(spec: Spec) {
  const headers = showHeaders(spec);
  const { forwardHeaders: forwarded } = spec;
  const mode = forwarded?.mode === 'AllExcept' ? 'all-except' : 'allowlist';
  return {
    ...(Object.keys(headers).length === 0 ? {} : { custom_headers: headers }),
    ...(forwarded === undefined ? {} : { forward_headers: { mode, headers: forwarded.headers } }),
  };
}

export const toItem = ({ meta, spec }: IntegrationObject, { workspace }: Home) => ({
  id: meta.uid,
  slug: meta.name,
  name: spec.displayName ?? meta.name,
  description: spec.description ?? null,
  type: workspace === undefined ? ('organisation' as const) : ('workspace' as const),
  status: 'active' as const,
  owner_id: null,
  workspace_id: workspace?.id ?? null,
  url: spec.url,
  auth_type: spec.authType,
  transport: spec.transport,
  configurations: showConfigurations(spec),
  workspaces_count: (spec.workspaces ?? []).filter(({ enabled }) => enabled).length,
  secret_mappings: [],
  created_at: meta.createdAt,
  last_updated_at: meta.updatedAt,
});

export const showGrants = ({ meta, spec }: IntegrationObject) =>
  (spec.workspaces ?? []).map(({ name, enabled }) => ({
    id: name,
    enabled,
    status: 'active' as const,
    created_at: meta.createdAt,
    last_updated_at: meta.updatedAt,
  }));
