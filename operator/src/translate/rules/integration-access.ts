import {
  conflicted,
  defineRule,
  type Finding,
  missing,
  objectKey,
  verdictKey,
  wrongNamespace,
} from '../types/index.ts';
import { ALL_WORKSPACES } from './shared/index.ts';

/** A grant has no entry of its own: it decides which entries others have. */
export const integrationAccess = defineRule({
  kind: 'IntegrationAccess',
  translate({ metadata, spec }, { workspace, namespace }, view) {
    if (workspace !== null) {
      const message = 'only the organisation grants access: the object belongs into its namespace';
      return { entries: [], findings: [wrongNamespace(['metadata', 'namespace'], message)] };
    }
    const { integrationRef, workspaceRef } = spec;
    const findings: Finding[] = [];
    const kinds = ['Integration', 'VirtualKey'] as const;
    if (!kinds.some((kind) => view.exists(kind, namespace, integrationRef.name))) {
      const message = `the organisation has no Integration ${integrationRef.name}`;
      const refersTo = kinds.map((kind) => verdictKey(kind, objectKey(namespace, integrationRef.name)));
      findings.push(missing(['spec', 'integrationRef', 'name'], message, 'serve', refersTo));
    }
    if (workspaceRef !== undefined && !view.exists('Workspace', '', workspaceRef.name)) {
      const message = `the Workspace ${workspaceRef.name} does not exist`;
      const refersTo = [verdictKey('Workspace', workspaceRef.name)];
      findings.push(missing(['spec', 'workspaceRef', 'name'], message, 'serve', refersTo));
    }
    const first = view.accessOf(integrationRef.name, workspaceRef?.name ?? ALL_WORKSPACES);
    if (first !== objectKey(namespace, metadata.name)) {
      findings.push(conflicted(['spec', 'workspaceRef'], `${first} grants the same and came first`));
    }
    return { entries: [], findings };
  },
});
