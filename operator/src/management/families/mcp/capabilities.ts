/** Switches of capabilities: in resources, in bodies and in answers. Pages of their lists count from one. */
import type { ResourceOf } from '@gatehouse/crds/kinds';
import { MCP_CAPABILITY_TYPES } from '@gatehouse/crds/kinds';

export type Switches = NonNullable<ResourceOf<'McpServer'>['spec']['capabilities']>;
export type Switch = Switches[number];

const DEFAULT_SIZE = 100;
const MAX_SIZE = 500;

interface Asked {
  readonly page?: number | undefined;
  readonly page_size?: number | undefined;
}

/** The page of a list whose pages count from one; sizes beyond the maximum are cut. */
export function pageFromOne<T>(items: readonly T[], { page = 1, page_size: size = DEFAULT_SIZE }: Asked) {
  const limit = Math.min(MAX_SIZE, size);
  const end = page * limit;
  return { data: items.slice(end - limit, end), total: items.length, has_more: end < items.length };
}

const keyOf = ({ type, name }: Pick<Switch, 'type' | 'name'>): string => `${type} ${name}`;

/** Those that are there, with the given ones in their places or at the end. */
export function merged(before: Switches = [], given: Switches): Switches {
  const all = new Map([...before, ...given].map((one) => [keyOf(one), one]));
  return [...all.values()];
}

export interface ShownSwitch extends Switch {
  readonly integration_enabled: boolean;
}

/** Those of a server and of its integration. Hidden at the integration is hidden everywhere. */
export function joined(integration: Switches = [], server: Switches = []): readonly ShownSwitch[] {
  const above = new Map(integration.map((one) => [keyOf(one), one.enabled]));
  return merged(integration, server).map((one) => {
    const isOnAbove = above.get(keyOf(one)) ?? true;
    const own = server.find((other) => keyOf(other) === keyOf(one))?.enabled ?? true;
    return { ...one, enabled: own && isOnAbove, integration_enabled: isOnAbove };
  });
}

export const ofType = <T extends Switch>(all: readonly T[], type: string | undefined): readonly T[] =>
  type === undefined ? all : all.filter((one) => one.type === type);

export function countsOf(all: readonly Switch[]) {
  const [tools, prompts, resources] = MCP_CAPABILITY_TYPES.map((type) => {
    const those = ofType(all, type);
    return { total: those.length, enabled: those.filter(({ enabled }) => enabled).length };
  });
  const none = { total: 0, enabled: 0 };
  return {
    tools: tools ?? none,
    prompts: prompts ?? none,
    resources: resources ?? none,
    resource_templates: none,
  };
}

/** Of a server that is not asked. */
export const UNKNOWN_SERVER = {
  server_name: null,
  server_version: null,
  protocol_version: null,
  capability_flags: null,
  sync_status: 'pending',
  last_synced_at: null,
  sync_error: null,
} as const;
