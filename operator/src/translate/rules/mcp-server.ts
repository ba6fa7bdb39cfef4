import { isMcpGrantedTo, type McpServer } from '@gatehouse/crds/kinds';
import {
  defineRule,
  type Lookups,
  notPermitted,
  type ObjectScope,
  objectKey,
  verdictKey,
  wrongNamespace,
} from '../types/index.ts';

/** A record: gateways do not know MCP servers. */
export const mcpServer = defineRule({
  kind: 'McpServer',
  translate({ spec }, scope, view) {
    if (scope.workspace === null) {
      const message = 'the namespace of the organisation is no workspace: a server belongs into one';
      return { entries: [], findings: [wrongNamespace(['metadata', 'namespace'], message)] };
    }
    if (isThere(spec, { ...scope, workspace: scope.workspace }, view)) return { entries: [], findings: [] };
    const { name } = spec.integrationRef;
    const message = `the McpIntegration ${name} does not exist, or is not granted to the workspace`;
    const refersTo = [scope.namespace, scope.settings.organisationNamespace].map((home) =>
      verdictKey('McpIntegration', objectKey(home, name)),
    );
    return { entries: [], findings: [notPermitted(['spec', 'integrationRef', 'name'], message, 'serve', refersTo)] };
  },
});

function isThere(
  { integrationRef: { name } }: McpServer['spec'],
  { namespace, workspace, settings }: ObjectScope & { readonly workspace: string },
  view: Lookups,
): boolean {
  if (view.exists('McpIntegration', namespace, name)) return true;
  const shared = view.find('McpIntegration', settings.organisationNamespace, name);
  return shared !== undefined && isMcpGrantedTo(workspace, shared.spec);
}
