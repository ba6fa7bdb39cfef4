import { defineRule, type Finding, missing, verdictKey, wrongNamespace } from '../types/index.ts';

/** A record: gateways do not know MCP servers. */
export const mcpIntegration = defineRule({
  kind: 'McpIntegration',
  translate({ spec }, { workspace }, view) {
    const isGranting = spec.workspaces !== undefined || spec.allWorkspaces !== undefined;
    if (workspace !== null && isGranting) {
      const field = spec.workspaces === undefined ? 'allWorkspaces' : 'workspaces';
      const message = 'only the organisation grants integrations: the object belongs into its namespace';
      return { entries: [], findings: [wrongNamespace(['spec', field], message)] };
    }
    const findings = (spec.workspaces ?? []).flatMap(({ name }, i): Finding[] => {
      if (view.exists('Workspace', '', name)) return [];
      const message = `the Workspace ${name} does not exist`;
      return [missing(['spec', 'workspaces', i, 'name'], message, 'serve', [verdictKey('Workspace', name)])];
    });
    return { entries: [], findings };
  },
});
