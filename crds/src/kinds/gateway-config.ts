import { z } from 'zod';
import { checkConfig, kindConfig, type RoutingNode, routingNodeOf, walkTargets } from '../config/index.ts';
import { PROVIDER_CATALOGUE, settingsProblems } from '../providers/index.ts';
import { type Issue, text } from '../schema/index.ts';
import { defineKind, description, displayName, statusOf } from './parts/index.ts';

const spec = z
  .strictObject({
    displayName: displayName.optional(),
    description: description.optional(),
    config: kindConfig.meta({ description: 'config is the root target: where calls go and how.' }),
  })
  .meta({ description: 'spec is the desired state of the config.' });

/** The check needs to know that a target has a credential, not which one. */
const someCredential = (): string => 'credential';

function settingsIssues(root: RoutingNode): Issue[] {
  const issues: Issue[] = [];
  walkTargets(root, [], (node, path) => {
    const entry = PROVIDER_CATALOGUE.get(node.provider ?? '');
    for (const { key, message } of settingsProblems(entry, Object.keys(node.settings ?? {}))) {
      issues.push({ code: 'invalid', path: [...path, 'settings', key], message });
    }
  });
  return issues;
}

export const gatewayConfig = defineKind({
  kind: 'GatewayConfig',
  plural: 'gatewayconfigs',
  shortNames: ['gwcfg'],
  summary:
    'A saved routing config, addressed by its name in the x-gw-config header. A config of the organisation that contains a secretRef is used only where the organisation names it: as the default of a Workspace, or with its own keys.',
  spec,
  status: statusOf({
    version: text('version is the digest of the content that is served.', 64).optional(),
  }),
  columns: [
    { name: 'Mode', type: 'string', jsonPath: '.spec.config.strategy.mode' },
    { name: 'Provider', type: 'string', jsonPath: '.spec.config.provider' },
  ],
  check({ spec: { config } }, { caps }) {
    const root = routingNodeOf(config, someCredential);
    const issues = [...checkConfig(root, { caps, saved: true }), ...settingsIssues(root)];
    return issues.map((issue) => ({ ...issue, path: ['spec', 'config', ...issue.path] }));
  },
});
